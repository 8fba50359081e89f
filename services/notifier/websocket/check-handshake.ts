import type { IncomingMessage } from "node:http";
import { AccessRefused, unauthenticated } from "#shared/access/access-refused.ts";
import { authorize } from "#shared/access/authorize.ts";
import type { Door } from "#shared/access/door.ts";
import type { Identity } from "#shared/access/identity.ts";
import { TICKET_PROTOCOL, takeTicket } from "#shared/access/socket-tickets.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/** The exact protocol, and the dialect of the contract. */
const PATHS = { exact: "/ws", dialect: "/api/v1/ws" } as const;

/** The statuses of rejected handshakes. */
export const REJECTION_STATUSES = [401, 403, 404, 421, 429, 503] as const;

/** A handshake that is answered with an error status. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NOT_HERE: Rejection = {
  status: 404,
  message: `no WebSocket here: connect to ${Object.values(PATHS).join(" or ")}`,
};
const LATER = { "retry-after": "5" };
export const FULL: Rejection = {
  status: 503,
  message: "no more connections are taken now: try again later or elsewhere",
  headers: LATER,
};
export const SHARE_USED: Rejection = {
  status: 429,
  message: "you have your share of the connections: close one first",
  headers: LATER,
};
const NO_DATABASE: Rejection = {
  status: 503,
  message: "the credential cannot be checked now: try again in a moment",
  headers: LATER,
};

/** Checks the path, the host and the page that a handshake comes from; returns why it is rejected, if it is. */
export function checkPathAndSite(request: IncomingMessage, door: Door): Rejection | undefined {
  const path = pathOf(request);
  if (path !== PATHS.exact && path !== PATHS.dialect) return NOT_HERE;
  try {
    door.checkSite(request);
    return undefined;
  } catch (error) {
    return rejectionFor(error);
  }
}

/** True if the client asks for the dialect of the contract. */
export function speaksDialect(request: IncomingMessage): boolean {
  return pathOf(request) === PATHS.dialect;
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** Finds the identity of the socket's client: by a ticket among the subprotocols, else by the headers. Returns why it is rejected otherwise. */
export async function identifyClient(
  request: IncomingMessage,
  { door, db }: { readonly door: Door; readonly db: Queryable },
): Promise<Identity | Rejection> {
  const ticket = offeredTicket(request);
  try {
    const identity =
      ticket === undefined
        ? await door.identify(request)
        : await redeem({ door, db }, ticket.slice(TICKET_PROTOCOL.length));
    authorize(identity, "session.read");
    return identity;
  } catch (error) {
    return rejectionFor(error);
  }
}

async function redeem(
  { door, db }: { readonly door: Door; readonly db: Queryable },
  ticket: string,
): Promise<Identity> {
  const identity = await takeTicket(db, ticket);
  if (identity === undefined) throw unauthenticated("the ticket is unknown, expired or was used before");
  if (!(await door.isActive(identity))) {
    throw unauthenticated("the credential of the ticket is revoked or has expired");
  }
  return identity;
}

/** The subprotocol to select: the client's own one, else the ticket, because browsers insist on one that they offered. */
export function selectProtocol(offered: ReadonlySet<string>): string | false {
  const [first = false] = [...offered].toSorted((a, b) => Number(isTicket(a)) - Number(isTicket(b)));
  return first;
}

function offeredTicket({ headers }: IncomingMessage): string | undefined {
  return headers["sec-websocket-protocol"]
    ?.split(",")
    .map((protocol) => protocol.trim())
    .find(isTicket);
}

function isTicket(protocol: string): boolean {
  return protocol.startsWith(TICKET_PROTOCOL);
}

function rejectionFor(error: unknown): Rejection {
  if (!(error instanceof AccessRefused)) return NO_DATABASE;
  const { status, message, headers } = error;
  return { status, message, headers };
}
