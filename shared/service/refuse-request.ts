import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { http } from "#shared/service/node-http.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";

/** Status and message by the error code of Node's HTTP parser. */
const PARSER_ERRORS = new Map<string, readonly [number, string]>([
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [408, "the request took too long: send headers within 10 s and all of it within 30 s"],
  ],
  ["HPE_HEADER_OVERFLOW", [431, "the request's line and headers exceed 16 KiB"]],
]);

/** The time for which a client has to read an answer after which its connection is closed. */
const CLOSE_GRACE_MS = 2_000;

/** Answers what Node's parser rejects in the form of every other error; no handler ever sees such a request. */
export function answerParserErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const [status, message] = PARSER_ERRORS.get(error.code ?? "") ?? [
      400,
      "the request is not valid HTTP/1.1",
    ];
    refuseRequest(socket, status, message);
  });
}

/** Writes an answer with one sentence to a socket that no response belongs to, and closes it, after 2 s also if the client does not. */
export function refuseRequest(
  socket: Duplex,
  status: number,
  message: string,
  fields: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ message });
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
    ...SECURITY_HEADERS,
    ...fields,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that does not close its side must not keep the socket, which no timeout of the server covers any more.
  const late = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once("close", () => clearTimeout(late));
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
