import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import type { WireMessage } from "./render-timeline.ts";

export interface FollowOptions {
  readonly ws: string;
  readonly sessionId: string;
  /** Each message of the session, stored events exactly once and in order. */
  readonly show: (message: WireMessage) => void;
  /** The connection is gone and being made again. */
  readonly lost: (why: string) => void;
  readonly signal: AbortSignal;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** In a row, after some half a minute. */
const MAX_FAILURES = 10;

/**
 * Follows a session from its first event to its end, over as many connections as it takes: each goes on after the
 * last event number seen. Throws an Error with one sentence when the notifier stays away.
 */
export async function followSession(options: FollowOptions): Promise<void> {
  const progress = { lastSeq: 0, ended: false, failures: 0 };
  const receive = (message: WireMessage) => {
    const seq = message["seq"];
    if (typeof seq === "number") {
      if (seq <= progress.lastSeq) return;
      progress.lastSeq = seq;
    }
    // The greeting of a connection that is then lost again is no success.
    if (message["type"] !== "connection.established") progress.failures = 0;
    progress.ended ||= message["type"] === "session.completed";
    options.show(message);
  };
  for (;;) {
    const why = await oneConnection(options, progress, receive);
    options.signal.throwIfAborted();
    if (progress.ended) return;
    progress.failures += 1;
    if (progress.failures > MAX_FAILURES) {
      throw new Error(
        `${options.ws} cannot be followed (${why}): the investigation goes on without this view`,
      );
    }
    if (progress.failures === 1) options.lost(why);
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (progress.failures - 1), LAST_RETRY_MS);
    await wait(delay * (0.5 + Math.random()), undefined, { signal: options.signal });
  }
}

/** Resolves with the reason once the connection is over. */
async function oneConnection(
  { ws, sessionId, signal }: FollowOptions,
  progress: { readonly lastSeq: number; readonly ended: boolean },
  receive: (message: WireMessage) => void,
): Promise<string> {
  const socket = new WebSocket(ws);
  let why = "";
  const stop = () => socket.terminate();
  signal.addEventListener("abort", stop, { once: true });
  socket.on("open", () => {
    socket.send(
      JSON.stringify({ action: "subscribe", channel: `session:${sessionId}`, after_seq: progress.lastSeq }),
    );
  });
  socket.on("error", (error) => (why = error.message === "" ? "no connection" : error.message));
  socket.on("message", (data: Buffer) => {
    const message = decode(data);
    if (message["type"] === "error") {
      why = String(message["message"]);
      socket.close();
    } else receive(message);
    if (progress.ended) socket.close();
  });
  const [code, reason] = await closed(socket);
  signal.removeEventListener("abort", stop);
  return why || reason || `closed with code ${code}`;
}

async function closed(socket: WebSocket): Promise<[number, string]> {
  return new Promise((resolve) => {
    socket.on("close", (code, reason) => resolve([code, reason.toString()]));
  });
}

function decode(data: Buffer): WireMessage {
  const message: unknown = JSON.parse(data.toString("utf8"));
  return typeof message === "object" && message !== null ? { ...message } : {};
}
