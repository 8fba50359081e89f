import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import type { NotifierMessage } from "./render-timeline.ts";

interface FollowOptions {
  readonly ws: string;
  /** What lets the client in. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sessionId: string;
  /** Called with each message of the session; with stored events exactly once and in order. */
  readonly onMessage: (message: NotifierMessage) => void;
  /** Called when the connection is lost, before it is opened again. */
  readonly onDisconnect: (why: string) => void;
  readonly signal: AbortSignal;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** Consecutive failures, which take about half a minute. */
const MAX_FAILURES = 10;

/**
 * Follows a session from its first event to its end. Reconnects when the connection is lost, and resumes after the last
 * event number received. Throws an Error with one sentence after more than 10 failures in
 * a row.
 */
export async function followOverWebSocket(options: FollowOptions): Promise<void> {
  const progress = { lastSeq: 0, ended: false, failures: 0 };
  const receive = (message: NotifierMessage) => {
    const seq = message["seq"];
    if (typeof seq === "number") {
      if (seq <= progress.lastSeq) return;
      progress.lastSeq = seq;
    }
    // The first message of a connection alone is not a success: the connection may be lost right after it.
    if (message["type"] !== "connection.established") progress.failures = 0;
    progress.ended ||= message["type"] === "session.completed";
    options.onMessage(message);
  };
  for (;;) {
    const why = await followOnce(options, progress, receive);
    options.signal.throwIfAborted();
    if (progress.ended) return;
    progress.failures += 1;
    if (progress.failures > MAX_FAILURES) {
      throw new Error(
        `${options.ws} cannot be followed (${why}): the investigation goes on without this view`,
      );
    }
    if (progress.failures === 1) options.onDisconnect(why);
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (progress.failures - 1), LAST_RETRY_MS);
    await wait(delay * (0.5 + Math.random()), undefined, { signal: options.signal });
  }
}

/** Opens one connection; resolves with the reason once it is closed. */
async function followOnce(
  { ws, headers = {}, sessionId, signal }: FollowOptions,
  progress: { readonly lastSeq: number; readonly ended: boolean },
  receive: (message: NotifierMessage) => void,
): Promise<string> {
  const socket = new WebSocket(ws, { headers });
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

function decode(data: Buffer): NotifierMessage {
  const message: unknown = JSON.parse(data.toString("utf8"));
  return typeof message === "object" && message !== null ? { ...message } : {};
}
