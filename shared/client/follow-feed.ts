import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { retryDelay, waitFor } from "#shared/client/retry-delay.ts";
import { watchSilence } from "#shared/client/watch-silence.ts";

interface FollowFeedOptions {
  /** The address of the notifier, e.g. `ws://localhost:8081/ws`. */
  readonly url: string;
  readonly open?: (url: string) => WebSocket | Promise<WebSocket>;
  /** Called with each event of the feed. */
  readonly onMessage: (message: NotifierMessage) => void;
  /** Called when the feed begins, also again: what happened before is not repeated, so a list has to be read anew. */
  readonly onLive: () => void;
  /** Called when a connection is lost or cannot be opened. */
  readonly onLost?: (why: string) => void;
  readonly signal: AbortSignal;
  /** The time for which nothing may arrive before the connection is tried; by default 15 s. */
  readonly pingMs?: number;
}

/**
 * Follows the status of all visible sessions, the channel `sessions`, until the signal aborts: connects again as often as
 * needed. It needs nothing but `WebSocket`, so that it runs in browsers, too. Throws the signal's reason.
 */
export async function followFeed(options: FollowFeedOptions): Promise<never> {
  for (let failures = 1; ; failures += 1) {
    const { wasLive, why } = await followOnce(options);
    options.signal.throwIfAborted();
    options.onLost?.(why);
    if (wasLive) failures = 1;
    await waitFor(retryDelay(failures), options.signal);
  }
}

/** Opens one connection; resolves once it is closed. */
async function followOnce(options: FollowFeedOptions): Promise<{ wasLive: boolean; why: string }> {
  const { url, open = (address) => new WebSocket(address), onMessage, onLive, signal } = options;
  const { promise, resolve } = Promise.withResolvers<string>();
  let wasLive = false;
  let socket: WebSocket;
  try {
    socket = await open(url);
  } catch (error) {
    return { wasLive, why: error instanceof Error ? error.message : String(error) };
  }
  const stop = () => {
    socket.close();
    resolve("stopped");
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  socket.addEventListener("open", () =>
    socket.send(JSON.stringify({ action: "subscribe", channel: "sessions" })),
  );
  socket.addEventListener("message", ({ data }) => {
    if (signal.aborted) return;
    const decoded: unknown = JSON.parse(String(data));
    const message: NotifierMessage = typeof decoded === "object" && decoded !== null ? { ...decoded } : {};
    if (message["type"] === "subscription.confirmed") {
      wasLive = true;
      onLive();
    } else if (typeof message["seq"] === "number") onMessage(message);
    else if (message["type"] === "error") socket.close();
  });
  socket.addEventListener("error", () => resolve("no connection"));
  socket.addEventListener("close", ({ code, reason }) => resolve(reason || `closed with code ${code}`));
  const unwatch = watchSilence(socket, () => resolve("no answer"), options.pingMs);
  const why = await promise;
  unwatch();
  signal.removeEventListener("abort", stop);
  socket.close();
  return { wasLive, why };
}
