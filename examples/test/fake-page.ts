import { runInNewContext } from "node:vm";

/** The part of an element that the page uses; it cannot take HTML. */
class FakeElement {
  readonly children: FakeElement[] = [];
  readonly classes = new Set<string>();
  readonly classList = { add: (...names: string[]) => names.forEach((name) => this.classes.add(name)) };
  textContent = "";
  href = "";

  set className(value: string) {
    this.classes.clear();
    for (const name of value.split(" ")) if (name !== "") this.classes.add(name);
  }

  append(child: FakeElement): void {
    this.children.push(child);
  }

  replaceChildren(): void {
    this.children.length = 0;
  }

  /** The texts of all elements below this one. */
  texts(): string[] {
    return this.children
      .flatMap((child) => [child.textContent, ...child.texts()])
      .filter((text) => text !== "");
  }
}

/** Runs the page's script with a real WebSocket and fake elements that a test can inspect. */
export function openPage(html: string, search: string): Disposable & { byId(id: string): FakeElement } {
  const script = /<script type="module">(?<code>[^]*)<\/script>/u.exec(html)?.groups?.["code"];
  if (script === undefined) throw new Error("the page has no script");
  const elements = new Map<string, FakeElement>();
  const byId = (id: string) => {
    const element = elements.get(id) ?? new FakeElement();
    elements.set(id, element);
    return element;
  };
  const sockets = new Set<WebSocket>();
  const timers = new Set<NodeJS.Timeout>();
  let open = true;
  class PageSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.add(this);
    }
  }
  runInNewContext(script, {
    document: {
      getElementById: byId,
      createElement: () => new FakeElement(),
      documentElement: { scrollHeight: 0 },
    },
    location: { search, hostname: "127.0.0.1" },
    URLSearchParams,
    WebSocket: PageSocket,
    setTimeout: (run: () => void, ms: number) => open && timers.add(setTimeout(run, ms)),
    scrollY: 0,
    innerHeight: 0,
    scrollTo: () => undefined,
  });
  return {
    byId,
    [Symbol.dispose]: () => {
      open = false;
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.close();
    },
  };
}
