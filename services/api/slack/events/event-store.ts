import { randomUUID } from "node:crypto";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { EXTERNAL_EVENT_AWAITS } from "#shared/database/tables/slack.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { SlackDeed, type ExternalEvent } from "./external-event.ts";

export const SOURCE = "slack";
/** Longer than an effect may take: a process that dies holds its rows so long. */
export const LEASE_SECONDS = 60;

const INSERT = `
INSERT INTO external_events (source, event_key, ordering_key, kind, actor, payload, occurred_at)
VALUES ('${SOURCE}', $1, $2, $3, $4, $5::jsonb, $6) ON CONFLICT DO NOTHING`;

/** Stores an event; a repetition changes nothing. Rejects with database errors. */
export async function storeEvent(
  db: Queryable,
  { key, actor, occurredAt, deed }: ExternalEvent,
): Promise<void> {
  const order = `${deed.channel}:${deed.thread}`;
  await db.query(INSERT, [key, order, deed.kind, actor, postgresSafeJson(deed), occurredAt]);
}

const Claimed = Type.Object({
  id: Type.Integer(),
  event_key: Type.String(),
  actor: Type.String(),
  payload: SlackDeed,
  /** With this one. */
  attempts: Type.Integer(),
  age_ms: Type.Number(),
});
const parseClaimed = compileParser("external event", Claimed);
/** An event that this process holds. */
export type ClaimedEvent = Static<typeof Claimed> & { readonly token: string };

/** The first event of each key that is due. Until it is settled, those after it wait. */
const CLAIM = `
WITH due AS MATERIALIZED (
  SELECT e.id FROM external_events e
  WHERE e.source = '${SOURCE}' AND e.state = 'pending' AND e.not_before <= now()
    AND (e.lease_expires_at IS NULL OR e.lease_expires_at < now())
    AND NOT EXISTS (
      SELECT FROM external_events f WHERE f.source = e.source AND f.ordering_key = e.ordering_key AND f.state = 'pending'
        AND (f.occurred_at, f.id) < (e.occurred_at, e.id))
  ORDER BY e.occurred_at, e.id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE external_events e SET attempts = e.attempts + 1, lease_token = $2,
  lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
FROM due WHERE e.id = due.id AND e.state = 'pending' AND (e.lease_expires_at IS NULL OR e.lease_expires_at < now())
RETURNING e.id, e.event_key, e.actor, e.payload, e.attempts,
  (extract(epoch FROM clock_timestamp() - e.received_at) * 1000)::float8 AS age_ms
)
SELECT * FROM claimed`;

/** Takes events that are due, at most `limit`, one of each key. */
export async function claimEvents(db: Queryable, limit: number): Promise<ClaimedEvent[]> {
  const token = randomUUID();
  const rows = await selectRows(db, parseClaimed, CLAIM, [limit, token]);
  return rows.map((row) => ({ ...row, token }));
}

/** What an event came to. */
export interface Settled {
  readonly state: "done" | "refused" | "dead";
  /** What is still to be said in Slack about it. */
  readonly awaits?: (typeof EXTERNAL_EVENT_AWAITS)[number];
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

const SETTLE = `
WITH settled AS (
  UPDATE external_events SET state = $3, payload = payload - 'text', awaits = $4, result = $5::jsonb, last_error = $6, settled_at = clock_timestamp(),
    not_before = clock_timestamp(), attempts = 0, lease_token = NULL, lease_expires_at = NULL
  WHERE id = $1 AND lease_token = $2 AND state = 'pending' RETURNING id
)
SELECT id FROM settled`;
const parseId = compileParser("settled event", Type.Object({ id: Type.Integer() }));

/** Another process has taken the event over: what this one has written must not be committed. */
export class EventLost extends Error {}

/** Settles an event in the transaction of its effect; what it says is then the session's, and deleted with it. Throws EventLost if it is another process's by now. */
export async function settleEvent(
  transaction: Queryable,
  { id, token }: ClaimedEvent,
  { state, awaits, result, error }: Settled,
): Promise<void> {
  const json = result === undefined ? null : postgresSafeJson(result);
  const rows = await selectRows(transaction, parseId, SETTLE, [
    id,
    token,
    state,
    awaits ?? null,
    json,
    error ?? null,
  ]);
  if (rows.length === 0) throw new EventLost("the event is handled by another api");
}

/** Gives an event back, to be taken again after `ms`. */
export async function postponeEvent(
  db: Database,
  { id, token }: ClaimedEvent,
  ms: number,
  error: string,
): Promise<void> {
  await db.query(
    `UPDATE external_events SET lease_token = NULL, lease_expires_at = NULL, last_error = $3,
       not_before = clock_timestamp() + make_interval(secs => $4) WHERE id = $1 AND lease_token = $2 AND state = 'pending'`,
    [id, token, error.slice(0, 500), ms / 1_000],
  );
}
