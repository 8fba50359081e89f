import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { nextMessage } from "../support/next-message.ts";
import { untilExited } from "../support/until-exited.ts";

const Latencies = Type.Object({
  count: Type.Integer(),
  p50_ms: Type.Union([Type.Number(), Type.Null()]),
  p99_ms: Type.Union([Type.Number(), Type.Null()]),
  max_ms: Type.Number(),
  last_at_ns: Type.Number(),
  /** Numbered texts that did not follow the one before them at the same watcher: some text was lost, doubled or moved. */
  misplaced: Type.Integer(),
});
/** Latencies of the texts received since the last `take`. */
type Latencies = Static<typeof Latencies>;
const parseCount = compileParser("count of texts", Type.Object({ count: Type.Integer() }));
const parseLatencies = compileParser("latencies", Latencies);

const PROGRAM = join(import.meta.dirname, "watcher-process.ts");

/** WebSocket clients in a separate process. */
export class Watchers implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Connects `count` clients and subscribes them to `channel`, if given; resolves once all are subscribed. */
  static async start(port: number, count: number, channel?: string): Promise<Watchers> {
    const more = channel === undefined ? [] : [channel];
    const child = fork(PROGRAM, [String(port), String(count), ...more]);
    await nextMessage(child, "the watchers' process");
    return new Watchers(child);
  }

  /** The latencies since the last call, in milliseconds. */
  async take(): Promise<Latencies> {
    return parseLatencies(await this.#ask("take"));
  }

  /** The number of texts received since the last `take`, by all watchers together. */
  async count(): Promise<number> {
    return parseCount(await this.#ask("count")).count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await untilExited(this.#child);
  }

  async #ask(question: "take" | "count"): Promise<unknown> {
    const answer = nextMessage(this.#child, "the watchers' process");
    this.#child.send(question);
    return answer;
  }
}
