import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { refuseRequest } from "#shared/service/refuse-request.ts";

const PATHS = ["/ws", "/api/v1/ws"];
const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns the HTTP status that rejects a handshake, or undefined to accept it. `full`: no connection is free. */
type HandshakeCheck = (request: IncomingMessage, full: boolean) => number | undefined;

/** What a rejected client is told, by HTTP status. */
export const REJECTIONS: Readonly<Record<number, string>> = {
  403: "this Origin is not allowed: add it to WS_ALLOWED_ORIGINS",
  404: `no WebSocket here: connect to ${PATHS.join(" or ")}`,
  503: "no more connections are taken now: try again later or elsewhere",
};

/** `allowedOrigins` are exact origins; undefined allows pages served from this machine on any port. */
export function handshakeCheck(allowedOrigins: readonly string[] | undefined): HandshakeCheck {
  const listed = new Set(allowedOrigins);
  const allows = (origin: string) =>
    allowedOrigins === undefined ? isLoopbackOrigin(origin) : listed.has(origin);
  return (request, full) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (!PATHS.includes(path)) return 404;
    const { origin } = request.headers;
    // Browsers always send an Origin. Other programs send none and are accepted until there is authentication.
    if (origin !== undefined && !allows(origin)) return 403;
    return full ? 503 : undefined;
  };
}

/** Answers an upgrade request with `status` and closes the socket. */
export function rejectHandshake(socket: Duplex, status: number): void {
  refuseRequest(socket, status, REJECTIONS[status] ?? "refused");
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return /^https?:$/u.test(url.protocol) && LOOPBACK_HOSTS.has(url.hostname);
}
