import { createServer, type RequestListener, type Server } from "node:http";

/** How long a client may take, in milliseconds. */
export interface RequestLimits {
  readonly headersMs: number;
  /** Headers and body together. */
  readonly requestMs: number;
  /** How often both are looked at. */
  readonly checkEveryMs: number;
}

const LIMITS: RequestLimits = { headersMs: 10_000, requestMs: 30_000, checkEveryMs: 5_000 };

/** A server that does not listen yet. A client that dribbles its request is answered 408 and holds no socket for ever. */
export function createHttpServer(handle: RequestListener, limits: RequestLimits = LIMITS): Server {
  const { headersMs, requestMs, checkEveryMs } = limits;
  const server = createServer({ connectionsCheckingInterval: checkEveryMs }, handle);
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  return server;
}
