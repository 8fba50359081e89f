import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocketServer } from "ws";
import type { AuditLog } from "#shared/access/audit-log.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { listen } from "#shared/service/listen.ts";
import { http } from "#shared/service/node-http.ts";
import { answerParserErrors, refuseRequest } from "#shared/service/refuse-request.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import type { NotifierLimits } from "../limits.ts";
import { answerHandshakes } from "./answer-handshakes.ts";
import { selectProtocol } from "./check-handshake.ts";
import { ClientConnection, type Client, type ConnectionContext } from "./client-connection.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";

interface AcceptClientsOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly limits: NotifierLimits;
  readonly context: ConnectionContext;
  readonly db: Queryable;
  readonly audit: AuditLog;
}

interface ClientServer extends AsyncDisposable {
  readonly port: number;
  readonly listening: boolean;
}

/** TCP connections above `maxConnections`, so that a handshake can be answered with 503 instead of being dropped. */
const MAX_HANDSHAKES = 1_000;
const STOP_GRACE_MS = 2_000;
const BUFFER_LIMIT_INTERVAL_MS = 1_000;

/** The answer to a request that asks for no upgrade. */
function answerPlainRequest(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426, { "content-type": "application/json", connection: "close", ...SECURITY_HEADERS });
  response.end('{"message":"Upgrade Required"}\n');
}

/** Serves WebSocket clients. Resolves once listening; disposing closes every connection with 1001. */
export async function acceptClients(options: AcceptClientsOptions): Promise<ClientServer> {
  const { limits, context } = options;
  const connections = new Set<ClientConnection>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
    // A small message in very many fragments costs far more than the bytes it has.
    maxFragments: 64,
    maxBufferedChunks: 1_024,
    // The library destroys the socket of a client whose pings it cannot answer fast enough; more than a burst, so that
    // one that sends many in one packet is closed with 1008 first.
    maxPendingAutoPongs: 2 * limits.messageBurst,
    handleProtocols: selectProtocol,
  });
  const server = http.createServer(
    {
      headersTimeout: limits.handshakeTimeoutMs,
      requestTimeout: limits.handshakeTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.handshakeTimeoutMs),
    },
    answerPlainRequest,
  );
  const accept = (client: Client) => {
    const { socket } = client;
    const connection = new ClientConnection(client, context, limits);
    connections.add(connection);
    context.metrics.connections.set(connections.size);
    socket.once("close", () => {
      connections.delete(connection);
      context.metrics.connections.set(connections.size);
    });
  };
  answerParserErrors(server);
  // The library would answer without a reason that a program can read.
  sockets.on("wsClientError", (_error, socket) =>
    refuseRequest(socket, 400, "the request is not a valid WebSocket handshake"),
  );
  answerHandshakes({ ...options, ...context, server, sockets, accept });
  server.maxConnections = limits.maxConnections + MAX_HANDSHAKES;
  await listen(server, options);
  const heartbeatTimer = setInterval(() => {
    for (const connection of connections) connection.heartbeat();
  }, limits.heartbeatMs);
  const bufferLimitTimer = setInterval(
    () => context.metrics.bufferedBytes.set(enforceBufferLimit(connections, limits.totalBufferBytes)),
    BUFFER_LIMIT_INTERVAL_MS,
  );
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : options.port,
    get listening() {
      return server.listening;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(heartbeatTimer);
      clearInterval(bufferLimitTimer);
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      for (const connection of connections) {
        connection.closeResumably("goingAway", STOP_GRACE_MS);
      }
      await Promise.race([
        Promise.all([closed, ...[...connections].map((connection) => connection.closed)]),
        wait(2 * STOP_GRACE_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/** The time for which a client closed by this limit has to read the close reason. */
const GRACE_MS = 1_000;

/**
 * Returns the unsent bytes of all clients together. Each client has a limit of its own, but thousands of clients can
 * hold too much in sum: above `limitBytes` the clients with the most unsent bytes are closed with 4008 until the sum
 * of the others is within the limit.
 */
export function enforceBufferLimit(
  clients: Iterable<{ readonly outbox: Pick<ClientOutbox, "bufferedBytes" | "closeAsTooSlow"> }>,
  limitBytes: number,
): number {
  let total = 0;
  const buffering: { bytes: number; outbox: Pick<ClientOutbox, "closeAsTooSlow"> }[] = [];
  for (const { outbox } of clients) {
    const bytes = outbox.bufferedBytes;
    if (bytes === 0) continue;
    total += bytes;
    buffering.push({ bytes, outbox });
  }
  if (total <= limitBytes) return total;
  buffering.sort((a, b) => b.bytes - a.bytes);
  let excess = total - limitBytes;
  for (const { bytes, outbox } of buffering) {
    if (excess <= 0) break;
    outbox.closeAsTooSlow(GRACE_MS);
    excess -= bytes;
  }
  return total;
}
