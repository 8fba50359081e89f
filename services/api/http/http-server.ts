import type { RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import { http } from "#shared/service/node-http.ts";

/** How long a client may take to send a request, in milliseconds. */
export interface RequestTimeouts {
  readonly headersMs: number;
  /** Headers and body together. */
  readonly requestMs: number;
  /** How often both timeouts are checked. */
  readonly checkEveryMs: number;
}

const DEFAULT_TIMEOUTS: RequestTimeouts = { headersMs: 10_000, requestMs: 30_000, checkEveryMs: 5_000 };
const CLOSE_GRACE_MS = 3_000;

/** Status and message by the error code of Node's HTTP parser. */
const PARSER_ERRORS = new Map<string, readonly [number, string]>([
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [408, "the request took too long: send headers within 10 s and all of it within 30 s"],
  ],
  ["HPE_HEADER_OVERFLOW", [431, "the request's line and headers exceed 16 KiB"]],
]);

/** Creates a server that does not listen yet. It answers 408 to a client that sends its request too slowly. */
export function createHttpServer(
  handle: RequestListener,
  { headersMs, requestMs, checkEveryMs }: RequestTimeouts = DEFAULT_TIMEOUTS,
): Server {
  const server = http.createServer({ connectionsCheckingInterval: checkEveryMs }, handle);
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.on("clientError", answerParserError);
  return server;
}

/** Stops accepting connections, gives open requests 3 s to finish, then closes the remaining connections. */
export async function closeHttpServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(force);
}

/** Koa never sees a request that Node's parser rejects, so it is answered here, in the form of every other error. */
function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = PARSER_ERRORS.get(error.code ?? "") ?? [400, "the request is not valid HTTP/1.1"];
  const body = JSON.stringify({ message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
