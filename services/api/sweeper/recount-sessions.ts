import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { modelUsageAggregates } from "#shared/database/cost-sums.ts";
import { recountColumns } from "#shared/database/session-counters.ts";

/** A page must be counted well within `statement_timeout`. */
const PAGE = 200;

const parseCount = compileParser("recounted sessions", Type.Object({ n: Type.Integer() }));

const USAGE = modelUsageAggregates("i");

/**
 * SKIP LOCKED: replicas that count concurrently take different rows. No other process writes to a session that has ended and
 * that no executor owns.
 */
const RECOUNT = `
WITH uncounted AS (
  SELECT r.session_id FROM session_runtime r JOIN alert_sessions s USING (session_id)
  WHERE r.counted_epoch <> r.lease_epoch AND s.completed_at IS NOT NULL AND r.lease_expires_at IS NULL
  LIMIT ${PAGE} FOR NO KEY UPDATE OF r SKIP LOCKED
), counted AS (
  UPDATE session_runtime r SET counted_epoch = r.lease_epoch,
    ${Object.entries(recountColumns("s"))
      .map(([name, sql]) => `${name} = ${sql}`)
      .join(",\n    ")}
  FROM uncounted JOIN alert_sessions s USING (session_id) WHERE r.session_id = uncounted.session_id RETURNING 1
), model_usage AS (
  INSERT INTO session_model_usage (session_id, model_name, ${Object.keys(USAGE).join(", ")})
  SELECT i.session_id, i.model_name, ${Object.values(USAGE).join(", ")}
  FROM uncounted JOIN llm_interactions i USING (session_id) GROUP BY i.session_id, i.model_name
  ON CONFLICT (session_id, model_name) DO UPDATE SET
    ${Object.keys(USAGE)
      .map((name) => `${name} = EXCLUDED.${name}`)
      .join(", ")}
)
SELECT count(*)::int AS n FROM counted`;

/**
 * Sets the counters, and what was used of each model, of ended sessions that were run, at least in part, by a version that did not keep them; page by page,
 * until none is left or `signal` aborts.
 */
export async function recountSessions(db: Database, signal: AbortSignal): Promise<void> {
  let isLastPage = false;
  while (!isLastPage && !signal.aborted) {
    const [recounted] = await selectRows(db, parseCount, RECOUNT, []);
    isLastPage = (recounted?.n ?? 0) < PAGE;
  }
}
