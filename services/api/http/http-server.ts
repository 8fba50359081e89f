import { createServer, STATUS_CODES, type RequestListener, type Server } from "node:http";
import type { Duplex } from "node:stream";

/** How long a client may take, in milliseconds. */
export interface RequestLimits {
  readonly headersMs: number;
  /** Headers and body together. */
  readonly requestMs: number;
  /** How often both are looked at. */
  readonly checkEveryMs: number;
}

const UNREADABLE = new Map<string, readonly [number, string]>([
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [408, "the request took too long: send headers within 10 s and all of it within 30 s"],
  ],
  ["HPE_HEADER_OVERFLOW", [431, "the request's line and headers exceed 16 KiB"]],
]);

const LIMITS: RequestLimits = { headersMs: 10_000, requestMs: 30_000, checkEveryMs: 5_000 };

/** A server that does not listen yet. A client that dribbles its request is answered 408 and holds no socket for ever. */
export function createHttpServer(handle: RequestListener, limits: RequestLimits = LIMITS): Server {
  const { headersMs, requestMs, checkEveryMs } = limits;
  const server = createServer({ connectionsCheckingInterval: checkEveryMs }, handle);
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.on("clientError", answerUnreadable);
  return server;
}

/** What Node's parser refuses never becomes a request, so it is answered here, in the form of every other error. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE.get(error.code ?? "") ?? [400, "the request is not valid HTTP/1.1"];
  const body = JSON.stringify({ message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
