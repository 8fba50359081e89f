import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { Nullable } from "../http/common-schemas.ts";
import { AlertGroup, SessionAlert } from "./contract.ts";
import { MAX_STORED_CHARACTERS } from "./alert-rows.ts";

/** The group's row names the session that its alerts belong to now. */
const SUMMARY = `
SELECT a.ordinal AS count, ${isoText("a.received_at")} AS last_at, ${isoText("g.resolved_at")} AS resolved_at,
  CASE WHEN g.session_id IS NULL OR g.is_cancelled
         OR coalesce(s.completed_at < clock_timestamp() - make_interval(secs => g.window_ms / 1000.0), false)
       THEN 'closed' ELSE 'open' END AS state
FROM group_alerts a JOIN alert_sessions s USING (session_id) LEFT JOIN alert_groups g USING (session_id)
WHERE a.session_id = $1 ORDER BY a.ordinal DESC LIMIT 1`;
const parseSummary = compileParser(
  "alerts of a session",
  Type.Object({ ...AlertGroup.properties, resolved_at: Nullable(AlertGroup.properties.resolved_at) }),
);

/** How many alerts belong to a session, and whether more can; undefined where alerts like its own are not grouped. */
export async function readAlertGroup(
  db: Queryable,
  sessionId: string,
): Promise<ReturnType<typeof parseSummary> | undefined> {
  const [row] = await selectRows(db, parseSummary, SUMMARY, [sessionId]);
  return row;
}

/** The alert that started the session has its text there. */
const PAGE = `
SELECT a.ordinal, a.outcome, a.is_resolved, a.effect, a.author, ${isoText("a.received_at")} AS received_at, a.bytes,
  CASE WHEN a.outcome IN ('opened', 'reopened') THEN left(s.alert_data, ${MAX_STORED_CHARACTERS}) ELSE a.data END AS data
FROM group_alerts a JOIN alert_sessions s USING (session_id)
WHERE a.session_id = $1 AND a.ordinal < $2 ORDER BY a.ordinal DESC LIMIT $3`;
const Alert = Type.Object({
  ...SessionAlert.properties,
  effect: Nullable(SessionAlert.properties.effect),
});
const parseAlert = compileParser("alert of a session", Alert);

/** The alerts of a session with numbers below `before`, newest first. */
export async function readAlerts(
  db: Queryable,
  sessionId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<Static<typeof Alert>[]> {
  return selectRows(db, parseAlert, PAGE, [sessionId, before, limit]);
}
