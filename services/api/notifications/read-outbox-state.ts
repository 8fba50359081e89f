import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const Text = Type.Union([Type.String(), Type.Null()]);

const OutboxState = Type.Object({
  destination: Type.String(),
  pending: Type.Integer(),
  /** 0 if nothing is pending. */
  oldest_seconds: Type.Number(),
  /** Given up within the last day. */
  dead: Type.Integer(),
  failures: Type.Integer(),
  /** RFC 3339. */
  failing_since: Text,
  last_error: Text,
  /** The address that wants nothing any more. */
  stopped_address: Text,
});
/** What is to be sent to a destination, and how that goes. */
export type OutboxState = Static<typeof OutboxState>;

const parseState = compileParser("state of a destination", OutboxState);

const READ = `
WITH waiting AS (
  SELECT destination, count(*)::int AS pending, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS oldest
  FROM outbox WHERE state = 'pending' GROUP BY destination
), given_up AS (
  SELECT destination, count(*)::int AS dead FROM outbox
  WHERE state <> 'pending' AND settled_at > clock_timestamp() - interval '1 day' AND state = 'dead' GROUP BY destination
)
SELECT destination, coalesce(pending, 0) AS pending, greatest(0, coalesce(oldest, 0)) AS oldest_seconds,
  coalesce(dead, 0) AS dead, coalesce(failures, 0) AS failures,
  ${isoText("failing_since")} AS failing_since, last_error, stopped_address
FROM waiting FULL JOIN given_up USING (destination) FULL JOIN notification_destinations USING (destination)
ORDER BY destination`;

/** Of all destinations for which there is anything to say, by name. */
export async function readOutboxState(db: Queryable): Promise<OutboxState[]> {
  return selectRows(db, parseState, READ, []);
}
