import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import type { ReceivedTimeline } from "./received-timeline.ts";

const RETRY_MS = 50;

/**
 * Follows a session to its end, reconnecting as often as necessary. Records every message without filtering, so that
 * `received` shows what a notifier sends twice or out of order.
 */
export async function followUnfiltered(
  ws: string,
  sessionId: string,
  received: ReceivedTimeline,
): Promise<void> {
  while (!received.ended) {
    const socket = new WebSocket(ws);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socket.on("open", () =>
      socket.send(
        JSON.stringify({ action: "subscribe", channel: `session:${sessionId}`, after_seq: received.lastSeq }),
      ),
    );
    socket.on("message", (data: Buffer) => {
      const message: unknown = JSON.parse(data.toString("utf8"));
      if (typeof message === "object" && message !== null) received.add({ ...message });
      if (received.ended) socket.close();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    await closed;
    if (!received.ended) await wait(RETRY_MS);
  }
}
