import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { coerceError, errorMessage } from "#shared/errors.ts";
import { parseExactJson } from "#shared/exact-json.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { ByteRoom, HeldBytes } from "../../byte-room.ts";
import { McpFailure } from "../mcp-failure.ts";
import { answeredRequest, isAnswer, type UnansweredRequests, invalidAnswer } from "../unanswered-requests.ts";
import { BoundedTail } from "./bounded-tail.ts";
import { LineFramer } from "./line-framer.ts";
import type { ServerUser } from "./server-user.ts";
import { signalGroup, type ProcessGroups } from "./process-groups.ts";

/** Waits on descriptor 3 for the word that its group is watched; without it the server never starts. */
const GATE = 'read -r go <&3 && exec 3<&- && exec "$@"';
/** The start of a message that needs no room. */
const SMALL_BYTES = 1024 * 1024;
const MAX_LOG_BYTES = 8 * 1024;
/** The time that a server may take to end after its input ends, and again after SIGTERM. */
const GRACE_MS = 1_500;
/** The time between the end of a process's input or of the process, and what it wrote last. */
const EXIT_MS = 200;

/** The start of a line that was to be a message; programs also print other lines with braces. */
const PERHAPS_ANSWER = /^\s*\{\s*"(?:jsonrpc|id|result|error)"\s*:/u;
/** The parts of a broken message in which its id is looked for. */
const startOf = (text: string) => text.slice(0, 1_024);
const endOf = (text: string) => text.slice(-1_024);
const INVALID = "the server's answer is none of the protocol";

/** The code of the error that stands for an answer that is too long; none of the protocol. */
export const TOO_LARGE_CODE = -32_099;

interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Absent: that of this process. */
  readonly user?: ServerUser;
  readonly groups: ProcessGroups;
  /** A longer message ends the connection. */
  readonly maxMessageBytes: number;
  readonly requests: UnansweredRequests;
  readonly room: ByteRoom;
}

type StdioProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A server as a process group of its own, spoken to by lines over its standard streams. What it prints that is no
 * message is ignored; its log is read to its end and only its last lines are kept.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** The client takes a transport with `pid` and `stderr` for a local process. */
  readonly stderr = null;
  readonly #options: StdioTransportOptions;
  readonly #requests: UnansweredRequests;
  readonly #log = new BoundedTail(MAX_LOG_BYTES);
  /** The memory that is held for the message that is being received. */
  #held = new DisposableStack();
  #memory: HeldBytes;
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #child: StdioProcess | undefined;
  #isOver = false;
  #why = "the server's process has ended";

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#requests = options.requests;
    this.#memory = this.#held.use(options.room.enter());
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** The end of what the server wrote to its standard error. */
  get log(): string {
    return this.#log.text();
  }

  /** The reason why the connection has ended, for people; undefined while it has not. */
  get why(): string | undefined {
    return this.#isOver ? this.#why : undefined;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, user, groups } = this.#options;
    const child = spawn("/bin/sh", ["-c", GATE, "sh", command, ...args], {
      cwd,
      env,
      detached: true,
      ...user,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    const spawned = Promise.withResolvers<void>();
    child.once("spawn", () => spawned.resolve());
    child.once("error", (error) => spawned.reject(error));
    await spawned.promise;
    this.#child = child;
    this.#listen(child);
    const gate = child.stdio[3];
    try {
      if (child.pid === undefined) throw new Error("no process was started");
      await groups.add(child.pid);
      if (gate === null || gate === undefined || !("end" in gate)) throw new Error("no pipe to the process");
      gate.on("error", () => undefined); // the process ended: `exit` reports it
      gate.end("go\n");
    } catch (error) {
      this.#end(errorMessage(error));
      throw error;
    }
  }

  /** Resolves when the whole message is with the operating system. */
  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver || !child.stdin.writable) {
      throw new McpFailure("closed", "no", `the server cannot be written to: ${this.#why}`);
    }
    this.#requests.sent(message);
    const written = Promise.withResolvers<void>();
    child.stdin.write(`${JSON.stringify(message)}\n`, (error) =>
      error === null || error === undefined ? written.resolve() : written.reject(error),
    );
    try {
      // A server that reads nothing blocks the write for ever; the end of the connection ends the wait.
      await Promise.race([written.promise, this.#ended.promise]);
    } catch (error) {
      // The process has closed its input: soon it is known how it ended.
      await untilAborted(this.#ended.promise, AbortSignal.timeout(5 * EXIT_MS)).catch(() => undefined);
      throw new McpFailure("closed", "maybe", this.#isOver ? this.#why : errorMessage(error), {
        cause: error,
      });
    }
  }

  /** Ends the server: its input, then SIGTERM, then SIGKILL to the whole group, at most 3 s. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) return;
    const exited = Promise.withResolvers<void>();
    child.once("exit", () => exited.resolve());
    this.#why = "it was closed";
    child.stdin.end();
    for (const signal of ["SIGTERM", undefined] as const) {
      try {
        await untilAborted(exited.promise, AbortSignal.timeout(GRACE_MS));
        break;
      } catch {
        if (signal !== undefined && child.pid !== undefined) signalGroup(child.pid, signal);
      }
    }
    this.#end("it was closed");
  }

  #listen(child: StdioProcess): void {
    const maxBytes = this.#options.maxMessageBytes;
    const framer = new LineFramer({
      maxBytes,
      onLine: (line) => this.#receive(line),
      onTooLong: (start, end) => this.#refuse(answeredRequest(start.toString(), end.toString())),
    });
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      if (!framer.push(chunk)) this.#end(tooLong(maxBytes));
      else if (framer.held > SMALL_BYTES) this.#takeRoom(child.stdout, chunk.length);
    });
    child.stderr.on("data", (chunk: Buffer) => this.#log.push(chunk));
    child.stdin.on("error", (error) => this.onerror?.(error));
    // Not `close`: a grandchild may hold the streams open. A last answer may still be in the pipe.
    child.on("exit", (code, signal) => {
      const why = `the server's process has ended (${signal ?? `exit code ${code}`})`;
      if (child.stdout.readableEnded) this.#end(why);
      else {
        const timer = setTimeout(() => this.#end(why), EXIT_MS);
        child.stdout.once("end", () => {
          clearTimeout(timer);
          this.#end(why);
        });
      }
    });
  }

  /** The server is not read while there is no room for the message that it writes. */
  #takeRoom(from: Readable, bytes: number): void {
    if (this.#held.disposed) {
      this.#held = new DisposableStack();
      this.#memory = this.#held.use(this.#options.room.enter());
    }
    from.pause();
    this.#memory.take(bytes, this.#over.signal).then(
      () => from.resume(),
      () => undefined, // the connection has ended
    );
  }

  #receive(line: Buffer): void {
    this.#read(line);
    // The memory for the result of a call has been moved.
    this.#held.dispose();
  }

  #read(line: Buffer): void {
    const text = line.toString("utf8");
    let parsed: unknown;
    try {
      parsed = parseExactJson(text);
    } catch (error) {
      this.onerror?.(coerceError(error));
      // Anything else is what a program prints.
      if (PERHAPS_ANSWER.test(text)) this.#endInvalid(answeredRequest(startOf(text), endOf(text)));
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(this.#requests.readable(parsed, this.#held));
    } catch (error) {
      this.onerror?.(coerceError(error));
      const id: unknown =
        typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "id") : undefined;
      if (typeof id === "number" || typeof id === "string") this.#endInvalid(id);
      return;
    }
    if (isAnswer(message) && this.#requests.isForeign(message.id)) this.#endInvalid(undefined);
    else this.#pass(message);
  }

  /**
   * Ends the request whose answer cannot be read: its call must not wait for another one. An answer that names no request is
   * that of the only one that waits; if there are several, it cannot be known which, and the connection ends.
   */
  #endInvalid(id: number | string | undefined): void {
    const waiting = this.#requests.ids;
    const ended = waiting.find((one) => id === undefined || String(one) === String(id));
    if (ended === undefined) return; // given up already
    if (id === undefined && waiting.length > 1) this.#end(INVALID);
    else this.#pass(invalidAnswer(ended, INVALID));
  }

  #pass(message: JSONRPCMessage): void {
    this.#requests.received(message);
    this.onmessage?.(message);
  }

  /** Ends the request whose answer is too long; if it is not known which one, the connection ends. */
  #refuse(id: number | string | undefined): void {
    const message = tooLong(this.#options.maxMessageBytes);
    if (id === undefined) this.#end(message);
    else this.#pass({ jsonrpc: "2.0", id, error: { code: TOO_LARGE_CODE, message } });
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#why = why;
    const child = this.#child;
    if (child?.pid !== undefined) this.#options.groups.remove(child.pid);
    child?.stdin.destroy();
    child?.stdout.destroy();
    child?.stderr.destroy();
    this.#over.abort(new Error(why));
    this.#held.dispose();
    this.#ended.resolve();
    this.onclose?.();
  }
}

function tooLong(maxBytes: number): string {
  return `the server sent a message of more than ${maxBytes} bytes`;
}
