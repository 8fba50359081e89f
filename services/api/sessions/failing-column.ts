import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Failing } from "./list-schemas.ts";

/** One failed call is repeated within a second, and most pass then. */
const MIN_FAILURES = 2;
/** A shorter wait is one for a limit of rate. */
const MIN_WAIT = "30 seconds";
/** What a session waited for stays stored while the repeated call runs. */
const MAX_LATE = "10 seconds";

/**
 * `Failing` of a session, or null, as SQL over `s` (a row of `alert_sessions`) and `r` (of `session_runtime`): what the agents at work have stored about
 * failed calls in a row and about what they wait for. It reads agents of sessions in progress only.
 */
export const FAILING = `CASE WHEN s.status = 'in_progress' AND r.parked_at IS NULL THEN (
  SELECT jsonb_strip_nulls(jsonb_build_object('what', CASE WHEN f.is_waiting THEN f.wait ->> 'kind' ELSE 'provider' END,
    'provider', e.llm_provider, 'reason', left(coalesce(CASE WHEN f.is_waiting THEN f.wait ->> 'reason' END, e.iteration_state ->> 'last_error', ''), 300),
    'tries', nullif(f.failures, 0), 'next_at', CASE WHEN f.is_waiting THEN ${isoText("(f.wait ->> 'until')::timestamptz")} END))
  FROM agent_executions e, LATERAL (SELECT w.wait, coalesce((e.iteration_state ->> 'consecutive_failures')::int, 0) AS failures,
      coalesce(w.wait ->> 'kind' IN ('provider', 'gateway', 'tools')
        AND (w.wait ->> 'until')::timestamptz > now() - interval '${MAX_LATE}', false) AS is_waiting
    FROM (SELECT nullif(e.iteration_state -> 'unfinished_step' -> 'waiting', 'null') AS wait) w) f
  WHERE e.session_id = s.session_id AND e.status = 'active' AND (f.failures >= ${MIN_FAILURES}
    OR (f.is_waiting AND (f.wait ->> 'since')::timestamptz < now() - interval '${MIN_WAIT}'))
  ORDER BY f.failures DESC, e.agent_index LIMIT 1) END`;

const parseRow = compileParser(
  "failing session",
  Type.Object({ failing: Type.Union([Failing, Type.Null()]) }),
);

/** What keeps failing in one session; null if nothing does. */
export async function readFailing(db: Queryable, sessionId: string): Promise<Failing | null> {
  const [row] = await selectRows(
    db,
    parseRow,
    `SELECT ${FAILING} AS failing FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = $1`,
    [sessionId],
  );
  return row?.failing ?? null;
}
