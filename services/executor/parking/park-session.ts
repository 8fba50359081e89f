import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARKED_BY } from "#shared/contracts/parked-by.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { SessionWriter } from "../persist/session-writer.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const parseParked = compileParser(
  "parked session",
  Type.Object({ by: literals(PARKED_BY), actor: TextOrNull, reason: TextOrNull, until: TextOrNull }),
);

/**
 * The owner stays in the row, as at the end of a session: the event is its last write. Not while a cancel is requested, and not if the request was taken back. The time before which nobody claims it is for executors and apis of
 * the version before: they leave it alone.
 */
const PARK = `
UPDATE session_runtime SET lease_expires_at = NULL, parked_at = clock_timestamp(), not_before = 'infinity',
  parkings = parkings + (park_by = 'priority')::int
WHERE session_id = $1 AND lease_epoch = $2 AND lease_expires_at IS NOT NULL
  AND park_requested_at IS NOT NULL AND parked_at IS NULL AND cancel_requested_at IS NULL
RETURNING park_by AS by, park_actor AS actor, park_reason AS reason,
  to_char(park_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS until`;

/**
 * Gives the lease back and parks the session, with its event. Uses up no attempt. Returns false, and changes nothing, if it is not to be parked
 * any more, or if the lease was lost.
 */
export async function parkSession({
  db,
  publisher,
  sessionId,
  epoch,
}: Pick<SessionWriter, "db" | "publisher" | "sessionId" | "epoch">): Promise<boolean> {
  const events = await db.transaction(async (transaction) => {
    const [parked] = await selectRows(transaction, parseParked, PARK, [sessionId, epoch]);
    if (parked === undefined) return undefined;
    return appendEvents(transaction, sessionId, [
      { type: "session.parked", session_id: sessionId, ...parked },
    ]);
  });
  if (events === undefined) return false;
  publisher.publish(events);
  return true;
}
