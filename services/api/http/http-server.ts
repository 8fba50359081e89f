import type { IncomingMessage, RequestListener, Server } from "node:http";
import { http } from "#shared/service/node-http.ts";
import { answerParserErrors } from "#shared/service/refuse-request.ts";

/** How long a client may take to send a request, in milliseconds. */
export interface RequestTimeouts {
  readonly headersMs: number;
  /** Headers and body together. */
  readonly requestMs: number;
  /** A connection without a request in flight is closed after this; a proxy in front must close its own earlier. */
  readonly keepAliveMs: number;
  /** How often both timeouts are checked. */
  readonly checkEveryMs: number;
}

const DEFAULT_TIMEOUTS: RequestTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 15_000,
  checkEveryMs: 5_000,
};
/** A submission took 6 s on two cores at a load of 17. */
const CLOSE_GRACE_MS = 10_000;

/** What takes over the connections of some requests, such as WebSockets. */
interface Upgrades {
  readonly takes: (request: IncomingMessage) => boolean;
  readonly attach: (server: Server) => void;
}

/** Creates a server that does not listen yet. It answers 408 to a client that sends its request too slowly. */
export function createHttpServer(
  handle: RequestListener,
  timeouts: Partial<RequestTimeouts> = {},
  upgrades?: Upgrades,
): Server {
  const { headersMs, requestMs, keepAliveMs, checkEveryMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const server = http.createServer(
    {
      connectionsCheckingInterval: checkEveryMs,
      // A client that offers another protocol, as curl does with HTTP/2, is answered in this one.
      shouldUpgradeCallback: (request) => upgrades?.takes(request) ?? false,
    },
    handle,
  );
  upgrades?.attach(server);
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  answerParserErrors(server);
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

/** Stops accepting connections, gives open requests 10 s to finish, then closes the remaining connections. */
export async function closeHttpServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(force);
}
