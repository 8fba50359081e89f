import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";

const parseAppended = compileParser(
  "appended events",
  Type.Object({ base: Type.Integer(), stamp: Type.String(), ids: Type.Array(Type.Integer()) }),
);

/**
 * Numbering: `seq` is assigned under the row's lock, which is held until COMMIT, so commit order equals `seq` order; with a
 * sequence, a reader could miss an event that commits late. Stamping: the row as it is once it is locked has the time, so
 * the events' time rises with `seq`; now() would be the time at which the transaction began, perhaps before an event that
 * was committed earlier.
 */
const APPEND = `
WITH numbered AS (
  UPDATE session_runtime SET last_seq = last_seq + $2, last_interaction_at = clock_timestamp()
  WHERE session_id = $1
  RETURNING last_seq - $2 AS base,
            last_interaction_at AS at, ${isoText("last_interaction_at")} AS stamp
), inserted AS (
  INSERT INTO events (session_id, seq, payload, created_at)
  SELECT $1, numbered.base + item.ordinality::int, item.value - 'session_id', at
  FROM numbered, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS item(value, ordinality)
  RETURNING id, seq
)
SELECT base, stamp, coalesce((SELECT json_agg(id ORDER BY seq) FROM inserted), '[]'::json) AS ids FROM numbered`;

/**
 * Appends events to a session's log for a writer without a lease (the api, a claim), as the last statement of the running
 * transaction, and returns them numbered and with their timestamp, as they are read; none if there is no such session.
 * A session's owner appends its events with the rows of its step.
 */
export async function appendEvents(
  transaction: Queryable,
  sessionId: string,
  payloads: readonly UnstampedPayload[],
): Promise<SessionEvent[]> {
  const safe = postgresSafeValue(payloads);
  const [appended] = await selectRows(transaction, parseAppended, APPEND, [
    sessionId,
    safe.length,
    JSON.stringify(safe),
  ]);
  return appended === undefined ? [] : numberedEvents(sessionId, safe, appended);
}

/** Events as they are read: with their numbers, which follow `base`, their ids and the time of their commit. */
export function numberedEvents(
  sessionId: string,
  payloads: readonly UnstampedPayload[],
  {
    base,
    stamp: timestamp,
    ids,
  }: { readonly base: number; readonly stamp: string; readonly ids: readonly number[] },
): SessionEvent[] {
  return payloads.map((payload, index) => ({
    session_id: sessionId,
    seq: base + index + 1,
    db_event_id: ids[index] ?? 0,
    payload: { ...payload, timestamp },
  }));
}
