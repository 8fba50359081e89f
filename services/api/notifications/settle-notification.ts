import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { backoff } from "#shared/pause.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ClaimedNotification } from "./claim-notifications.ts";
import type { Delivery, Destination } from "./destination.ts";

/** What becomes of a row after an attempt. */
export type Settled = Delivery;

/** What a row is afterwards: `retry` if it is sent again. */
export type SettledState = "sent" | "retry" | "dropped" | "dead";

/** At five minutes each, about 20 hours. */
const MAX_ATTEMPTS = 250;
const RETRIES = { firstMs: 5_000, lastMs: 5 * 60_000 };
/** A receiver that asks for longer is tried all the same. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
const MAX_ERROR_CHARACTERS = 500;
/** From so many failures in a row on, it was away rather than busy with one notification. */
const OUTAGE_FAILURES = 3;
/** Between two tries of a destination that fails: doubled from 1 s. */
const MAX_PROBE_SECONDS = 60;

const parseSettled = compileParser("settled notifications", Type.Object({ n: Type.Integer() }));

const MINE = "o.id = $1 AND o.lease_token = $2 AND o.state = 'pending'";
const OVER = "lease_token = NULL, lease_expires_at = NULL, settled_at = clock_timestamp()";

/** A destination that has just asked for time was answered in parallel: it still waits. */
const SENT = `
WITH sent AS (
  UPDATE outbox o SET state = 'sent', receipt = $3::jsonb, last_error = NULL, is_unsure = false, ${OVER}
  WHERE ${MINE} RETURNING o.destination
), was AS MATERIALIZED (
  SELECT d.destination, d.failures FROM notification_destinations d JOIN sent USING (destination)
  WHERE d.failures > 0 AND (d.not_before IS NULL OR d.not_before <= clock_timestamp())
), recovered AS (
  UPDATE notification_destinations d SET failures = 0, failing_since = NULL, not_before = NULL, last_error = NULL
  FROM was WHERE d.destination = was.destination
)
SELECT count(*)::int AS n, coalesce((SELECT max(failures) FROM was), 0) AS failures FROM sent`;

const parseSent = compileParser(
  "sent notification",
  Type.Object({ n: Type.Integer(), failures: Type.Integer() }),
);

/** What waited for a destination that was away is due at once. */
const RESUME = `
WITH due AS (
  UPDATE outbox SET not_before = clock_timestamp()
  WHERE destination = $1 AND state = 'pending' AND not_before > clock_timestamp() RETURNING 1
)
SELECT count(*)::int AS n FROM due`;

const FAILED = `
WITH failed AS (
  UPDATE outbox o SET lease_token = NULL, lease_expires_at = NULL, last_error = $3, is_unsure = o.is_unsure OR $4::boolean,
    not_before = clock_timestamp() + make_interval(secs => $5::float8),
    state = CASE WHEN o.attempts >= ${MAX_ATTEMPTS} THEN 'dead' ELSE 'pending' END,
    settled_at = CASE WHEN o.attempts >= ${MAX_ATTEMPTS} THEN clock_timestamp() END
  WHERE ${MINE} RETURNING o.destination
), counted AS (
  INSERT INTO notification_destinations AS d (destination, failures, failing_since, not_before, last_error)
  SELECT destination, 1, clock_timestamp(), clock_timestamp() + make_interval(secs => CASE WHEN $6::float8 > 0 THEN $6::float8 ELSE 1 END), $3 FROM failed
  ON CONFLICT (destination) DO UPDATE SET failures = d.failures + 1, last_error = excluded.last_error,
    failing_since = coalesce(d.failing_since, excluded.failing_since),
    not_before = greatest(d.not_before, clock_timestamp() + make_interval(secs =>
      CASE WHEN $6::float8 > 0 THEN $6::float8
           ELSE least(${MAX_PROBE_SECONDS}, power(2, least(d.failures, 10))) * (0.5 + random()) END))
)
SELECT count(*)::int AS n FROM failed`;

const GIVEN_UP = `
WITH settled AS (
  UPDATE outbox o SET state = $3, last_error = $4, ${OVER} WHERE ${MINE} RETURNING o.destination
), stopped AS (
  INSERT INTO notification_destinations AS d (destination, stopped_address, last_error)
  SELECT destination, $5::text, $4 FROM settled WHERE $5::text IS NOT NULL
  ON CONFLICT (destination) DO UPDATE SET stopped_address = excluded.stopped_address, last_error = excluded.last_error
)
SELECT count(*)::int AS n FROM settled`;

/**
 * Stores how an attempt ended. Resolves with what became of the row; undefined if the lease `token` was lost and someone
 * else has it.
 */
export async function settleNotification(
  db: Queryable,
  { id, attempts }: ClaimedNotification,
  { token, destination }: { readonly token: string; readonly destination: Destination },
  settled: Settled,
): Promise<SettledState | undefined> {
  const write = async (sql: string, state: SettledState, ...values: readonly unknown[]) => {
    const [row] = await selectRows(db, parseSettled, sql, [id, token, ...values]);
    return row?.n === 1 ? state : undefined;
  };
  switch (settled.outcome) {
    case "sent": {
      const [row] = await selectRows(db, parseSent, SENT, [id, token, JSON.stringify(settled.receipt)]);
      // After a crash before this, the rows are due at the latest five minutes later.
      if ((row?.failures ?? 0) >= OUTAGE_FAILURES) {
        await selectRows(db, parseSettled, RESUME, [destination.name]);
      }
      return row?.n === 1 ? "sent" : undefined;
    }
    case "failed": {
      const { retryAfterMs = 0, isUnsure } = settled;
      const asked = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) / 1_000;
      // The receiver knows best; a little later, so that several apis do not come at once.
      const waits = asked > 0 ? asked * (1 + Math.random() / 10) : backoff(attempts, RETRIES) / 1_000;
      const state = attempts >= MAX_ATTEMPTS ? "dead" : "retry";
      return write(FAILED, state, shortened(settled.error), isUnsure, waits, asked);
    }
    case "refused":
      return write(GIVEN_UP, "dead", "dead", shortened(settled.error), null);
    case "gone":
      return write(GIVEN_UP, "dead", "dead", shortened(settled.error), destination.address);
    case "dropped":
      return write(GIVEN_UP, "dropped", "dropped", shortened(settled.error), null);
    default:
      return settled satisfies never;
  }
}

function shortened(error: string): string {
  return error.slice(0, safeCut(error, MAX_ERROR_CHARACTERS));
}
