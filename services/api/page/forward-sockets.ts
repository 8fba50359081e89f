import type { IncomingMessage, Server } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { refuseRequest } from "#shared/service/refuse-request.ts";

/** Where a TCP server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

interface ForwardOptions {
  /** Of the notifier; undefined where a proxy in front of api and notifier tells them apart. */
  readonly notifier: Address | undefined;
  readonly log: Logger;
  readonly maxSockets?: number;
  /** How long the notifier may take to accept a connection and to answer the handshake. */
  readonly handshakeMs?: number;
}

/** The paths of the notifier. */
const PATHS = new Set(["/ws", "/api/v1/ws"]);
const MAX_SOCKETS = 1_000;
const HANDSHAKE_MS = 5_000;
/** How long an end may take what is left for it after the other one has closed. */
const DRAIN_MS = 2_000;
const FULL = "no more connections are taken now: try again later or elsewhere";
const LATER = { "retry-after": "5" };
/** A WebSocket handshake has no body; the notifier would have to agree with this server about its length. */
const BODY_HEADERS = ["content-length", "transfer-encoding"];

/**
 * Forwards the WebSocket handshakes of the page's own origin to the notifier, byte for byte, and everything after them. The
 * notifier alone decides who gets in: it receives the client's headers, its `Host` and its `Origin` among them.
 */
export class SocketForwarder implements Disposable {
  readonly #options: ForwardOptions;
  readonly #open = new Set<Duplex>();
  #isStopping = false;

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Whether a request is a WebSocket handshake for the notifier; all others are answered like any request. */
  takes({ url = "/", method, headers }: IncomingMessage): boolean {
    if (this.#options.notifier === undefined || method !== "GET") return false;
    return PATHS.has(url.split("?", 1)[0] ?? "/") && headers.upgrade?.toLowerCase() === "websocket";
  }

  /** Handles the handshakes that a server takes. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      if (BODY_HEADERS.some((name) => name in request.headers)) {
        return refuseRequest(socket, 400, "the request is not a valid WebSocket handshake");
      }
      if (this.#isStopping || this.#open.size >= (this.#options.maxSockets ?? MAX_SOCKETS)) {
        return refuseRequest(socket, 503, FULL, LATER);
      }
      return this.#forward(request, socket, head);
    });
  }

  /** Cuts every connection: clients connect again, elsewhere, and go on after their last event. */
  [Symbol.dispose](): void {
    this.#isStopping = true;
    for (const socket of this.#open) socket.destroy();
  }

  #forward(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { notifier, log, handshakeMs = HANDSHAKE_MS } = this.#options;
    if (notifier === undefined) return;
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    const upstream = connect({ ...notifier, noDelay: true });
    request.socket.setNoDelay(true);
    const fail = (why: string) => {
      log.warn({ error: why }, "socket not forwarded: no answer from the notifier");
      upstream.destroy();
      refuseRequest(socket, 503, "live events are away: try again in a moment", LATER);
    };
    const timer = setTimeout(() => fail(`none within ${handshakeMs} ms`), handshakeMs);
    const failed = (error: unknown) => {
      clearTimeout(timer);
      fail(errorMessage(error));
    };
    const left = () => {
      clearTimeout(timer);
      upstream.destroy();
    };
    upstream.once("error", failed);
    upstream.once("end", () => failed("it closed the connection"));
    socket.once("close", left);
    upstream.once("connect", () => upstream.write(Buffer.concat([requestHead(request), head])));
    upstream.once("readable", () => {
      // Also emitted at the end of a connection that brought nothing.
      if (upstream.readableLength === 0) return;
      clearTimeout(timer);
      socket.off("close", left);
      upstream.removeAllListeners("error").removeAllListeners("end");
      join(socket, upstream);
    });
  }
}

/** The request as it came, with the client's address added to the list of those it passed. */
function requestHead({ url = "/", rawHeaders, headers, socket }: IncomingMessage): Buffer {
  const lines = [`GET ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.toLowerCase() !== "x-forwarded-for") lines.push(`${name}: ${rawHeaders[index + 1] ?? ""}`);
  }
  const passed = [headers["x-forwarded-for"], socket.remoteAddress].filter(
    (address) => address !== undefined,
  );
  lines.push(`x-forwarded-for: ${passed.join(", ")}`, "", "");
  return Buffer.from(lines.join("\r\n"), "latin1");
}

/** Connects both ends until one of them closes; the other one then gets what is left for it and is closed, too. */
function join(client: Duplex, upstream: Socket): void {
  let late: NodeJS.Timeout | undefined;
  const close = () => {
    late ??= setTimeout(() => {
      client.destroy();
      upstream.destroy();
    }, DRAIN_MS);
    client.end();
    upstream.end();
    if (client.closed && upstream.closed) clearTimeout(late);
  };
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.once("end", close);
    from.once("close", close);
  }
}
