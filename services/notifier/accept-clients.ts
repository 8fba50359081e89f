import { STATUS_CODES, createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { listen } from "#shared/listen.ts";
import { boundBuffers } from "./bound-buffers.ts";
import { ClientConnection } from "./client-connection.ts";
import type { ClientSocket } from "./client-outbox.ts";
import type { SubscriptionContext } from "./client-subscriptions.ts";
import type { NotifierLimits } from "./limits.ts";
import { originPolicy, type OriginPolicy } from "./origin-policy.ts";

export interface AcceptClients {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly allowedOrigins: readonly string[] | undefined;
  readonly limits: NotifierLimits;
  readonly context: SubscriptionContext;
}

export interface ClientServer extends AsyncDisposable {
  readonly port: number;
  readonly listening: boolean;
}

const PATHS = ["/ws", "/api/v1/ws"];
const MAX_HANDSHAKES = 1_000;
const GOING_AWAY = 1001;
const STOP_REASON = "the server is stopping: reconnect and subscribe with after_seq = your last seq";
const STOP_GRACE_MS = 2_000;
const SURVEY_MS = 1_000;

/** Serves WebSocket clients. Resolves once listening; disposing sends all of them away with 1001. */
export async function acceptClients(options: AcceptClients): Promise<ClientServer> {
  const { limits, context } = options;
  const allows = originPolicy(options.allowedOrigins);
  const connections = new Set<ClientConnection>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
    // A small message in very many fragments costs far more than its bytes.
    maxFragments: 64,
    maxBufferedChunks: 1_024,
    // The library destroys the socket of a client whose pings it cannot answer fast enough; more than a burst, so that
    // one that sends many in one packet is closed with 1008 first.
    maxPendingAutoPongs: 2 * limits.messageBurst,
  });
  const server = createServer(
    {
      headersTimeout: limits.handshakeTimeoutMs,
      requestTimeout: limits.handshakeTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.handshakeTimeoutMs),
    },
    (_request, response) => {
      response.writeHead(426, { "content-type": "application/json", connection: "close" });
      response.end('{"message":"Upgrade Required"}\n');
    },
  );
  const welcome = (client: ClientSocket) => {
    const { socket } = client;
    const connection = new ClientConnection(client, context, limits);
    connections.add(connection);
    context.metrics.connections.set(connections.size);
    socket.once("close", () => {
      connections.delete(connection);
      context.metrics.connections.set(connections.size);
    });
  };
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const status = refusal(request, allows, connections.size >= limits.maxConnections || !server.listening);
    if (status === undefined) {
      return sockets.handleUpgrade(request, socket, head, (client) =>
        welcome({ socket: client, stream: socket }),
      );
    }
    context.metrics.refused.inc({ reason: String(status) });
    refuse(socket, status);
  });
  // Room for handshakes on their way to a refusal; what comes beyond is dropped at once.
  server.maxConnections = limits.maxConnections + MAX_HANDSHAKES;
  await listen(server, options);
  const heartbeat = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, limits.heartbeatMs);
  const survey = setInterval(
    () => context.metrics.bufferedBytes.set(boundBuffers(connections, limits.totalBufferBytes)),
    SURVEY_MS,
  );
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : options.port,
    get listening() {
      return server.listening;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(heartbeat);
      clearInterval(survey);
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      for (const connection of connections) connection.close(GOING_AWAY, STOP_REASON, STOP_GRACE_MS);
      await Promise.race([
        Promise.all([closed, ...[...connections].map((connection) => connection.closed)]),
        wait(2 * STOP_GRACE_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/** The HTTP status that refuses a handshake, or undefined. */
function refusal(request: IncomingMessage, allows: OriginPolicy, full: boolean): number | undefined {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (!PATHS.includes(path)) return 404;
  if (!allows(request.headers.origin)) return 403;
  return full ? 503 : undefined;
}

const REFUSALS: Readonly<Record<number, string>> = {
  403: "this Origin is not allowed: add it to WS_ALLOWED_ORIGINS",
  404: `no WebSocket here: connect to ${PATHS.join(" or ")}`,
  503: "no more connections are taken now: try again later or elsewhere",
};

function refuse(socket: Duplex, status: number): void {
  const body = `${JSON.stringify({ message: REFUSALS[status] })}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
