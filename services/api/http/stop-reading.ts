import type { IncomingMessage, ServerResponse } from "node:http";

/** The client has this long to read the answer before its connection is reset, as happens to one that still sends. */
const LINGER_MS = 2_000;

/** Reads no more of a request that was refused, and closes its connection once the answer had time to arrive. */
export function stopReading(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.setHeader("connection", "close");
  const { socket } = request;
  response.once("finish", () => {
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
