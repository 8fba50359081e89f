import { until } from "./until.ts";

/** One Server-Sent Event. */
interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
}

/** Reads a stream of Server-Sent Events as a browser does. */
export class SseClient implements AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  /** Resolves with "end", or with "cut" when the connection broke before the end. */
  readonly ended: Promise<"end" | "cut">;
  readonly #abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.ended = this.#read(response).then(
      () => "end" as const,
      () => "cut" as const,
    );
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const abort = new AbortController();
    const response = await fetch(url, {
      headers: { accept: "text/event-stream", ...headers },
      signal: abort.signal,
    });
    return new SseClient(response, abort);
  }

  /** Waits for `count` events; resolves with the ids received so far. */
  async ids(count: number): Promise<number[]> {
    await until(`${count} events`, () => this.events.length >= count);
    return this.events.map(({ id }) => Number(id));
  }

  async #read(response: Response): Promise<void> {
    let rest = "";
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const lines = block.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    });
    const fields = new Map(lines);
    const comment = fields.get("");
    if (comment !== undefined) this.comments.push(comment);
    const data = fields.get("data");
    if (data === undefined) return;
    const decoded: unknown = JSON.parse(data);
    this.events.push({ id: fields.get("id") ?? "", type: fields.get("event") ?? "", data: decoded });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }
}
