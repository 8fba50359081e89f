import type { LookupFunction } from "node:net";
import { WebSocket, type RawData } from "ws";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";

const Optional = Type.Optional(Type.String());
const parseFrame = compileParser(
  "frame of Slack",
  Type.Object({
    type: Type.String(),
    envelope_id: Optional,
    reason: Optional,
    payload: Type.Optional(Type.Unknown()),
    debug_info: Type.Optional(
      Type.Object({ approximate_connection_time: Type.Optional(Type.Number({ minimum: 0 })) }),
    ),
  }),
);

/** What Slack sends to the app. */
export interface Envelope {
  readonly type: string;
  readonly payload: unknown;
}

interface SocketDeps {
  readonly log: Logger;
  /** Asks Slack for the address of one connection. Rejects if it gives none. */
  readonly openTicket: (signal: AbortSignal) => Promise<URL>;
  /** Resolves once the envelope is committed; it is acknowledged then, and not if this rejects. */
  readonly store: (envelope: Envelope) => Promise<void>;
  /** Called once a connection is ready. */
  readonly onConnected: () => void;
  readonly lookup?: LookupFunction;
  readonly times?: Partial<SocketTimes>;
}

interface SocketTimes {
  /** Slack sends pings more often than that. */
  readonly quietMs: number;
  readonly helloMs: number;
  readonly retries: { readonly firstMs: number; readonly lastMs: number };
  /** Between tries of an app that may not connect. */
  readonly refusedMs: number;
}

const TIMES: SocketTimes = {
  quietMs: 30_000,
  helloMs: 10_000,
  retries: { firstMs: 500, lastMs: 30_000 },
  refusedMs: 5 * 60_000,
};
/** A connection is replaced at this part of its time, so that Slack does not have to. */
const RENEW_AT = 0.9;
const LONGEST_MS = 2 ** 31 - 1;
/** An envelope is a few KiB. */
const MAX_PAYLOAD = 4 * 1024 * 1024;

/** The app may not connect until someone changes its settings. */
export class SocketRefused extends Error {}

/**
 * Until `signal` aborts: keeps a connection of Socket Mode open, and stores and acknowledges what comes. Make before break: a connection
 * that ends by Slack's announcement, or by its age, is closed once the next one is ready. Never rejects.
 */
export async function keepSocket(deps: SocketDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  const times = { ...TIMES, ...deps.times };
  const open = new Set<Connection>();
  let failures = 0;
  while (!signal.aborted) {
    let connection: Connection | undefined;
    try {
      connection = await Connection.open(deps, times, signal);
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      const isRefused = error instanceof SocketRefused;
      log[failures === 1 && !isRefused ? "debug" : "warn"](
        { error: errorMessage(error) },
        "no connection to Slack: retrying",
      );
      await pause(isRefused ? times.refusedMs : backoff(failures, times.retries), signal).catch(
        () => undefined,
      );
      continue;
    }
    for (const old of open) old.close();
    open.clear();
    open.add(connection);
    deps.onConnected();
    const since = performance.now();
    const why = await connection.ending(signal);
    failures = performance.now() - since > times.quietMs ? 0 : failures + 1;
    // One that Slack has announced the end of goes on until the next one is ready.
    if (why === "lost") open.delete(connection);
    if (why === "link_disabled") log.warn({}, "Socket Mode is switched off in Slack's app settings");
    const ms = why === "link_disabled" ? times.refusedMs : backoff(failures + 1, times.retries);
    await pause(ms, signal).catch(() => undefined);
  }
  for (const connection of open) connection.close();
}

type Ending = "lost" | "renew" | "link_disabled";

/** One WebSocket to Slack, from its hello on. */
class Connection {
  readonly #socket: WebSocket;
  readonly #deps: SocketDeps;
  readonly #times: SocketTimes;
  readonly #ended = Promise.withResolvers<Ending>();
  readonly #hello = Promise.withResolvers<void>();
  #quiet: NodeJS.Timeout | undefined;
  #age: NodeJS.Timeout | undefined;

  /** Resolves once Slack has said hello. Rejects if it does not, and with the signal's reason. */
  static async open(deps: SocketDeps, times: SocketTimes, signal: AbortSignal): Promise<Connection> {
    const url = await deps.openTicket(signal);
    const connection = new Connection(url, deps, times);
    const late = setTimeout(() => connection.#lose("no hello in time"), times.helloMs);
    const abort = () => connection.#lose("stopped");
    signal.addEventListener("abort", abort, { once: true });
    try {
      await connection.#hello.promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", abort);
    }
    return connection;
  }

  private constructor(url: URL, deps: SocketDeps, times: SocketTimes) {
    this.#deps = deps;
    this.#times = times;
    const { lookup } = deps;
    const options = { handshakeTimeout: times.helloMs, maxPayload: MAX_PAYLOAD, perMessageDeflate: false };
    this.#socket = new WebSocket(url, { ...options, ...(lookup === undefined ? {} : { lookup }) });
    this.#hello.promise.catch(() => undefined);
    this.#socket.on("error", (error) => this.#lose(error.message));
    this.#socket.on("close", () => this.#lose("closed"));
    this.#socket.on("ping", () => this.#heard());
    this.#socket.on("message", (data) => this.#read(data));
    this.#heard();
  }

  /** Resolves when the connection is lost, or is to be replaced. */
  async ending(signal: AbortSignal): Promise<Ending> {
    const abort = () => this.#ended.resolve("lost");
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const why = await this.#ended.promise;
    signal.removeEventListener("abort", abort);
    if (signal.aborted) this.close();
    return why;
  }

  close(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#age);
    this.#socket.close(1000);
    // One that does not answer the close is gone, too.
    setTimeout(() => this.#socket.terminate(), 1_000).unref();
  }

  #lose(why: string): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#age);
    this.#hello.reject(new Error(`the connection to Slack was lost: ${why}`));
    this.#ended.resolve("lost");
    this.#socket.terminate();
  }

  #heard(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#lose("no ping in time"), this.#times.quietMs);
    this.#quiet.unref();
  }

  #read(data: RawData): void {
    this.#heard();
    const frame = readFrame(data);
    if (frame === undefined) return;
    const { type, envelope_id, reason } = frame;
    if (type === "hello") {
      const seconds = frame.debug_info?.approximate_connection_time;
      if (seconds !== undefined) {
        const ms = Math.min(LONGEST_MS, seconds * 1_000 * RENEW_AT);
        this.#age = setTimeout(() => this.#ended.resolve("renew"), ms);
        this.#age.unref();
      }
      this.#hello.resolve();
    } else if (type === "disconnect") {
      this.#ended.resolve(reason === "link_disabled" ? "link_disabled" : "renew");
    } else if (envelope_id !== undefined) {
      void this.#take(envelope_id, { type, payload: frame.payload });
    }
  }

  /** Never rejects. */
  async #take(envelopeId: string, envelope: Envelope): Promise<void> {
    try {
      await this.#deps.store(envelope);
      if (this.#socket.readyState === WebSocket.OPEN) {
        this.#socket.send(JSON.stringify({ envelope_id: envelopeId, payload: {} }), () => undefined);
      }
    } catch (error) {
      this.#deps.log.warn({ error: errorMessage(error) }, "event of Slack not stored: Slack repeats it");
    }
  }
}

/** Undefined for what is no frame of Slack's. */
function readFrame(data: RawData): ReturnType<typeof parseFrame> | undefined {
  try {
    const decoded: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString("utf8") : "");
    return parseFrame(decoded);
  } catch {
    return undefined;
  }
}
