import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocketServer } from "ws";
import type { AuditLog } from "#shared/access/audit-log.ts";
import type { Door } from "#shared/access/door.ts";
import type { Identity } from "#shared/access/identity.ts";
import { SharedSlots } from "#shared/access/shares.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { refuseRequest } from "#shared/service/refuse-request.ts";
import type { NotifierLimits } from "../limits.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import {
  FULL,
  SHARE_USED,
  checkPathAndSite,
  identifyClient,
  speaksDialect,
  type Rejection,
} from "./check-handshake.ts";
import type { Client } from "./client-connection.ts";

interface HandshakeOptions {
  readonly server: Server;
  readonly sockets: WebSocketServer;
  readonly limits: Pick<NotifierLimits, "maxConnections">;
  readonly door: Door;
  readonly db: Queryable;
  readonly audit: AuditLog;
  readonly metrics: NotifierMetrics;
  /** Takes over an open socket. */
  readonly accept: (client: Client) => void;
}

/** Rejected because of the caller, not because of the load. */
const REFUSALS = new Set([401, 403, 421, 429]);

/** Answers the upgrade requests of `server`: authenticates the caller, and accepts or rejects. */
export function answerHandshakes(options: HandshakeOptions): void {
  const { server } = options;
  const slots = new SharedSlots(options.limits.maxConnections);
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    void answer(options, slots, { request, socket, head });
  });
}

interface SocketHandshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client has sent after its request. */
  readonly head: Buffer;
}

/** Never rejects. */
async function answer(
  options: HandshakeOptions,
  slots: SharedSlots,
  handshake: SocketHandshake,
): Promise<void> {
  const { server, sockets, door, accept } = options;
  const { request, socket, head } = handshake;
  const early = checkPathAndSite(request, door) ?? (server.listening ? undefined : FULL);
  if (early !== undefined) return reject(options, handshake, early);
  const identity = await identifyClient(request, options);
  if ("status" in identity) return reject(options, handshake, identity);
  const slot = slots.take(identity);
  if (slot === "full") return reject(options, handshake, FULL, identity);
  if (slot === "share_used") return reject(options, handshake, SHARE_USED, identity);
  socket.once("close", slot.release);
  if (socket.destroyed || !server.listening) {
    socket.destroy();
    return slot.release();
  }
  sockets.handleUpgrade(request, socket, head, (client) =>
    accept({ socket: client, stream: socket, identity, dialect: speaksDialect(request) }),
  );
}

function reject(
  { audit, door, metrics }: HandshakeOptions,
  { request, socket }: SocketHandshake,
  { status, message, headers }: Rejection,
  identity?: Identity,
): void {
  metrics.refused.inc({ reason: String(status) });
  if (REFUSALS.has(status)) {
    const peer = door.addressOf(request);
    audit.record({ action: "socket.open", result: "refused", identity, peer, detail: { reason: message } });
  }
  refuseRequest(socket, status, message, headers);
}
