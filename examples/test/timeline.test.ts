import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { NotifierFixture } from "../../services/notifier/test/notifier-fixture.ts";
import type { TestSession } from "../../services/notifier/test/test-session.ts";
import { TcpProxy } from "../../test/support/tcp-proxy.ts";
import { until } from "../../test/support/until.ts";
import { openPage } from "./fake-page.ts";

const EXAMPLES = join(import.meta.dirname, "..");

describe("timeline.html", () => {
  const resources = new AsyncDisposableStack();
  let html: string;
  let fixture: NotifierFixture;
  let link: TcpProxy;
  let ws: string;
  let session: TestSession;

  before(async () => {
    html = await readFile(join(EXAMPLES, "timeline.html"), "utf8");
    fixture = resources.use(await NotifierFixture.start());
    const { port } = await fixture.notifier();
    link = resources.use(await TcpProxy.start({ host: "127.0.0.1", port }));
    ws = `ws://127.0.0.1:${link.port}/ws`;
  });
  after(async () => resources.disposeAsync());
  beforeEach(async () => (session = await fixture.newSession()));

  it("shows a whole session once, as text, although its connection is lost repeatedly", async () => {
    using page = openPage(html, `?${new URLSearchParams({ ws, session: session.id }).toString()}`);
    const shown = () => page.byId("timeline").texts();
    await until("it is live", () => page.byId("state").textContent === "live");
    const [eventId, evil] = [randomUUID(), "<img src=x onerror=alert(1)> 🤔"];
    await session.emit(session.status(), session.opened(eventId));
    await session.chunk(eventId, 0, evil);
    await until("the first text is shown", () => shown().includes(evil));
    link.cut();
    await session.commit(session.whole("while it was away"));
    await until("it is back", () => shown().includes("while it was away"));
    await session.chunk(eventId, 0, "again", 2);
    link.cut();
    await session.emit(session.closed(eventId, `${evil}, whole`), session.ended("the disk burns"));
    await until("it has ended", () => page.byId("state").textContent === "the investigation has ended");
    expect(shown()).to.deep.equal([
      "Session in progress",
      "llm thinking ",
      `${evil}, whole`,
      "llm thinking ",
      "while it was away",
    ]);
  });

  it("lists sessions as they change, and links to them", async () => {
    using page = openPage(html, `?${new URLSearchParams({ ws }).toString()}`);
    await until("it is live", () => page.byId("state").textContent === "live");
    await session.emit(session.status());
    const [first] = await until("the session is listed", () => {
      const { children } = page.byId("sessions");
      return children.length > 0 && children;
    });
    expect(first?.textContent).to.equal(`${session.id.slice(0, 8)} in progress`);
    expect(first?.href).to.equal(`?${new URLSearchParams({ ws, session: session.id }).toString()}`);
  });

  it("cannot show text as HTML, and loads nothing", () => {
    expect(html).not.to.match(/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|srcdoc/u);
    expect(html).to.include("default-src 'none'");
  });

  it("is served on the loopback address with the notifier's address in its URL", async () => {
    const child = spawn(process.execPath, [join(EXAMPLES, "serve-timeline.ts")], {
      env: { TIMELINE_PORT: "0", TARSY_WS_URL: ws },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const url = await until(
      "it prints its address",
      () => /^Open (?<url>\S+)\n/u.exec(output)?.groups?.["url"],
    );
    const answer = await fetch(url);
    expect(await answer.text()).to.equal(html);
    expect(Object.fromEntries(answer.headers)).to.include({
      ...SECURITY_HEADERS,
      "content-security-policy": "frame-ancestors 'none'",
    });
    expect(new URL(url).searchParams.get("ws")).to.equal(ws);
    expect((await fetch(new URL("/elsewhere", url))).status).to.equal(404);
    const exited = once(child, "exit");
    child.kill();
    await exited;
  });
});
