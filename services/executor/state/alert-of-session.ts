import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import type { AlertInput } from "../prompts/prompt-input.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** The columns of `ALERT_COLUMNS`. */
export const AlertRow = Type.Object({
  ...rowMembers(ALERT_SESSIONS, "alert_data", "alert_type", "runbook_url", "prompt_nonce", "mask_key"),
  is_runbook_settled: Type.Boolean(),
  runbook_text: TextOrNull,
  runbook_failure: TextOrNull,
  former_analysis: TextOrNull,
});

/** The longest analysis of the session before. */
const MAX_FORMER_CHARACTERS = 20_000;

/** A session's alert, with `s` as its row and `RUNBOOK` joined. */
export const ALERT_COLUMNS = `
  s.alert_data, s.alert_type, s.runbook_url, s.prompt_nonce, s.mask_key,
  b.session_id IS NOT NULL AS is_runbook_settled, t.body AS runbook_text, b.failure AS runbook_failure,
  (SELECT left(coalesce(f.final_analysis, ''), ${MAX_FORMER_CHARACTERS}) FROM alert_sessions f
   WHERE f.session_id = s.reopened_from AND ${isNull("f.deleted_at")}) AS former_analysis`;
export const RUNBOOK =
  "LEFT JOIN session_runbooks b ON b.session_id = s.session_id LEFT JOIN texts t ON t.hash = b.hash";

/** The alert of these columns. */
export function alertOfSession(row: Static<typeof AlertRow>): AlertInput {
  return {
    data: row.alert_data,
    alertType: row.alert_type,
    runbookUrl: row.runbook_url,
    nonce: row.prompt_nonce,
    maskKey: row.mask_key,
    ...(row.former_analysis === null ? {} : { formerAnalysis: row.former_analysis }),
    ...(row.runbook_text === null ? {} : { runbookText: row.runbook_text }),
    ...(row.runbook_failure === null ? {} : { runbookFailure: row.runbook_failure }),
  };
}
