import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import type { AlertInput } from "../prompts/prompt-input.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const parseAlert = compileParser(
  "alert of a session",
  Type.Object({
    ...rowMembers(ALERT_SESSIONS, "alert_data", "alert_type", "runbook_url", "prompt_nonce", "mask_key"),
    runbook_text: TextOrNull,
    runbook_failure: TextOrNull,
    former_analysis: TextOrNull,
  }),
);

/** The longest analysis of the session before. */
const MAX_FORMER_CHARACTERS = 20_000;

const ALERT = `
SELECT alert_data, alert_type, runbook_url, prompt_nonce, mask_key,
  t.body AS runbook_text, b.failure AS runbook_failure,
  (SELECT left(coalesce(f.final_analysis, ''), ${MAX_FORMER_CHARACTERS}) FROM alert_sessions f
   WHERE f.session_id = s.reopened_from AND f.deleted_at IS NULL) AS former_analysis
FROM alert_sessions s LEFT JOIN session_runbooks b USING (session_id) LEFT JOIN texts t USING (hash) WHERE session_id = $1`;

/** Reads the session's alert. */
export async function loadAlert(db: Queryable, sessionId: string): Promise<AlertInput> {
  const [row] = await selectRows(db, parseAlert, ALERT, [sessionId]);
  if (row === undefined) throw new TerminalError("not_found", `session ${sessionId} does not exist`);
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
