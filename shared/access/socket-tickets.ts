import { randomBytes } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Identity } from "#shared/access/identity.ts";
import { sha256 } from "#shared/access/secret-equals.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";

/** The time for which a ticket can be used. */
export const TICKET_SECONDS = 30;

/** The subprotocol in which a client sends its ticket: browsers let a page set no other header of a WebSocket. */
export const TICKET_PROTOCOL = "tarsy.ticket.";

const TICKET = /^[\w-]{43}$/u;

const INSERT = `
WITH expired AS (
  DELETE FROM ws_tickets WHERE ticket_hash IN (
    SELECT ticket_hash FROM ws_tickets WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)
)
INSERT INTO ws_tickets (ticket_hash, identity, expires_at) VALUES ($1, $2::jsonb, now() + make_interval(secs => ${TICKET_SECONDS}))`;

const TAKE = `
WITH taken AS (DELETE FROM ws_tickets WHERE ticket_hash = $1 RETURNING identity, expires_at)
SELECT identity FROM taken WHERE expires_at > now()`;
const parseTaken = compileParser("ticket row", Type.Object({ identity: Identity }));

/** Stores a new ticket for the identity and returns its text. Expired ones are deleted on the way. */
export async function createTicket(db: Queryable, identity: Identity): Promise<string> {
  const ticket = randomBytes(32).toString("base64url");
  await db.query(INSERT, [sha256(ticket), postgresSafeJson(identity)]);
  return ticket;
}

/** Whose ticket it is; undefined if it is unknown, expired or was used before. It cannot be used again. */
export async function takeTicket(db: Queryable, ticket: string): Promise<Identity | undefined> {
  if (!TICKET.test(ticket)) return undefined;
  const [row] = await selectRows(db, parseTaken, TAKE, [sha256(ticket)]);
  return row?.identity;
}
