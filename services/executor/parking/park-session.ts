import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARKED_BY } from "#shared/contracts/statuses.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { SessionWriter } from "../persist/session-writer.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const parseParked = compileParser(
  "parked session",
  Type.Object({
    seq: Type.Integer(),
    event_id: Type.Integer(),
    stamp: Type.String(),
    by: literals(PARKED_BY),
    actor: TextOrNull,
    reason: TextOrNull,
    until: TextOrNull,
  }),
);

/**
 * The owner stays in the row, as at the end of a session: the event is its last write. Not while a cancel is requested, and not if the request
 * was taken back. An infinite `not_before` keeps it out of the scans for sessions that are due. One
 * statement, because the renewal of all leases waits for the row meanwhile.
 */
const PARK = `
WITH parked AS (
  UPDATE session_runtime SET lease_expires_at = NULL, parked_at = clock_timestamp(), not_before = 'infinity',
    parkings = parkings + (park_by = 'priority')::int, last_seq = last_seq + 1
  WHERE session_id = $1 AND lease_epoch = $2 AND lease_expires_at IS NOT NULL
    AND park_requested_at IS NOT NULL AND parked_at IS NULL AND cancel_requested_at IS NULL
  RETURNING session_id, last_seq AS seq, park_by AS by, park_actor AS actor, park_reason AS reason,
            ${isoText("park_until")} AS until,
            parked_at AS at, ${isoText("parked_at")} AS stamp
), event AS (
  INSERT INTO events (session_id, seq, payload, created_at)
  SELECT session_id, seq, jsonb_build_object('type', 'session.parked', 'by', by, 'actor', actor, 'reason', reason, 'until', until),
         at
  FROM parked RETURNING id
)
SELECT seq, by, actor, reason, until, stamp, id AS event_id FROM parked, event`;

/**
 * Gives the lease back and parks the session, with its event. Uses up no attempt. Returns false, and changes nothing, if it is not to be parked
 * any more, or if the lease was lost.
 */
export async function parkSession({
  db,
  publisher,
  sessionId: session_id,
  epoch,
}: Pick<SessionWriter, "db" | "publisher" | "sessionId" | "epoch">): Promise<boolean> {
  const [row] = await selectRows(db, parseParked, PARK, [session_id, epoch]);
  if (row === undefined) return false;
  const { seq, event_id: db_event_id, stamp: timestamp, ...parked } = row;
  const payload = { type: "session.parked", session_id, ...parked, timestamp } as const;
  publisher.publish([{ session_id, seq, db_event_id, payload }]);
  return true;
}
