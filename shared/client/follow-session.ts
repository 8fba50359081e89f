import { ApiFailure } from "#shared/client/api-failure.ts";
import { retryDelay, waitFor } from "#shared/client/retry-delay.ts";
import { watchSilence } from "#shared/client/watch-silence.ts";

/** A message of the notifier, as decoded JSON. */
export type NotifierMessage = Readonly<Record<string, unknown>>;

interface FollowOptions {
  /** The address of the notifier, e.g. `ws://localhost:8081/ws`. */
  readonly url: string;
  readonly sessionId: string;
  /** Events up to this one are known; by default none is. */
  readonly afterSeq?: number;
  /** Goes on after the end of the session, with the questions about it, its scores and its reviews; by default it ends with the session. */
  readonly followsAll?: boolean;
  /** Opens a connection; by default without a credential, as in a page of the mode `loopback`. */
  readonly open?: (url: string) => WebSocket | Promise<WebSocket>;
  /** Called with each message of the session; with stored events exactly once and in order. */
  readonly onMessage: (message: NotifierMessage) => void;
  /** Called when the connection is lost, before it is opened again. */
  readonly onDisconnect?: (why: string) => void;
  readonly signal?: AbortSignal;
  /** The time for which nothing may arrive before the connection is tried; by default 15 s. */
  readonly pingMs?: number;
}

/** Consecutive failures, which take about half a minute. */
const MAX_FAILURES = 10;

/** The progress of following a session. */
interface FollowProgress {
  lastSeq: number;
  /** The `db_event_id` of that event; undefined if it is not known. */
  lastEventId: number | undefined;
  ended: boolean;
  failures: number;
  /** The reason why trying again cannot help. */
  refused: ApiFailure | undefined;
}

/**
 * Follows a session over `/ws` to its end, or with `followsAll` until the signal aborts, by the cursor protocol: it reconnects when the connection is lost or an event is
 * missing, and resumes after the last event received. It needs nothing but `WebSocket`, so that it runs in browsers, too.
 * Throws ApiFailure after more than 10 failures in a row, or at once if the events were deleted or lost; and the signal's reason.
 */
export async function followSession(options: FollowOptions): Promise<void> {
  const progress: FollowProgress = {
    lastSeq: options.afterSeq ?? 0,
    lastEventId: undefined,
    ended: false,
    failures: 0,
    refused: undefined,
  };
  for (;;) {
    const why = await followOnce(options, progress);
    options.signal?.throwIfAborted();
    if (progress.refused !== undefined) throw progress.refused;
    if (progress.ended) return;
    progress.failures += 1;
    if (progress.failures > MAX_FAILURES) {
      throw new ApiFailure(
        `${options.url} cannot be followed (${why}): the investigation goes on without this view`,
      );
    }
    if (progress.failures === 1) options.onDisconnect?.(why);
    await waitFor(retryDelay(progress.failures), options.signal);
  }
}

/** Opens one connection; resolves with the reason once it is closed. */
async function followOnce(options: FollowOptions, progress: FollowProgress): Promise<string> {
  const { url, sessionId, open = (address) => new WebSocket(address), signal } = options;
  const { promise, resolve } = Promise.withResolvers<string>();
  let why = "";
  let socket: WebSocket;
  try {
    socket = await open(url);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const stop = () => {
    socket.close();
    resolve("stopped");
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  socket.addEventListener("open", () =>
    socket.send(
      JSON.stringify({
        action: "subscribe",
        channel: `session:${sessionId}`,
        after_seq: progress.lastSeq,
        last_event_id: progress.lastEventId,
      }),
    ),
  );
  socket.addEventListener("error", () => (why ||= "no connection"));
  socket.addEventListener("message", ({ data }) => {
    const problem = receive(decode(data), options, progress);
    if (problem !== undefined) why = problem;
    if (problem !== undefined || progress.ended) socket.close();
  });
  socket.addEventListener("close", ({ code, reason }) =>
    resolve(why || reason || `closed with code ${code}`),
  );
  // A connection to a port that browsers refuse, for example, fails before there are listeners.
  if (socket.readyState >= socket.CLOSING) resolve(why || "no connection");
  // The browser would wait for an answer before it reports the end of a dead connection.
  const unwatch = watchSilence(socket, () => resolve("no answer"), options.pingMs);
  const closed = await promise;
  unwatch();
  signal?.removeEventListener("abort", stop);
  socket.close();
  return closed;
}

/** Takes one message; returns why the connection cannot be used any more. */
function receive(
  message: NotifierMessage,
  { onMessage, followsAll = false, signal }: FollowOptions,
  progress: FollowProgress,
): string | undefined {
  const { type, seq } = message;
  if (signal?.aborted === true || progress.ended || type === "pong") return undefined;
  if (type === "error") {
    const why = String(message["message"]);
    const code = message["code"];
    if (code === "events_purged" || code === "events_lost") progress.refused = new ApiFailure(why, { code });
    return why;
  }
  if (typeof seq === "number") {
    if (seq <= progress.lastSeq) return undefined;
    if (seq > progress.lastSeq + 1) return `event ${progress.lastSeq + 1} is missing`;
    progress.lastSeq = seq;
    const id = message["db_event_id"];
    progress.lastEventId = typeof id === "number" ? id : undefined;
  }
  // The first message of a connection alone is not a success: the connection may be lost right after it.
  if (type !== "connection.established") progress.failures = 0;
  progress.ended = !followsAll && type === "session.completed";
  onMessage(message);
  return undefined;
}

function decode(data: unknown): NotifierMessage {
  const message: unknown = JSON.parse(String(data));
  return typeof message === "object" && message !== null ? { ...message } : {};
}
