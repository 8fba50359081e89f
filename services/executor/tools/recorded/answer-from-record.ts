import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RecordedKept, RecordedOutcome } from "#shared/contracts/recorded-tools.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import type { SessionTools } from "../../core/session-parts.ts";
import { toolNames } from "../record-tool-call.ts";
import type { ToolOutcome } from "../tool-outcome.ts";

/** A call as the model requested it. */
interface AskedCall {
  readonly executionId: string;
  readonly iteration: number;
  readonly index: number;
  /** As the model wrote it. */
  readonly name: string;
  /** As parsed, with secrets masked, as they are recorded. */
  readonly parameters: object;
}

/** Agents that run side by side must not get the same row. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('recorded tools ' || $1::uuid, 0))::text";

/**
 * In this order: the row that has answered this call before, the row of this very call, the next row that has answered none, and the
 * last one that has; rows of the same execution first. Arguments are equal if they are the same JSON.
 */
const FIND = `
WITH asked AS (
  SELECT $1::uuid AS session_id, $2::text AS call_id, $3::uuid AS execution_id, $4::int AS iteration, $5::int AS call_index),
found AS MATERIALIZED (
  SELECT r.ordinal FROM recorded_tool_calls r JOIN asked USING (session_id)
  WHERE r.server_name = $6 AND r.tool_name = $7 AND r.arguments = $8::jsonb
    AND ($9::boolean OR (r.execution_id = asked.execution_id AND r.iteration = asked.iteration AND r.call_index = asked.call_index))
  ORDER BY (r.used_by = asked.call_id) IS TRUE DESC,
    (r.execution_id = asked.execution_id AND r.iteration = asked.iteration AND r.call_index = asked.call_index) IS TRUE DESC,
    r.used_by IS NOT NULL, r.execution_id <> asked.execution_id,
    CASE WHEN r.used_by IS NULL THEN r.ordinal ELSE -r.ordinal END
  LIMIT 1),
used AS (
  UPDATE recorded_tool_calls r SET used_by = asked.call_id FROM asked, found
  WHERE r.session_id = asked.session_id AND r.ordinal = found.ordinal AND r.used_by IS NULL)
SELECT r.outcome, r.kept FROM recorded_tool_calls r JOIN asked USING (session_id) JOIN found USING (ordinal)`;

const parseFound = compileParser(
  "recorded tool call",
  Type.Object({ outcome: RecordedOutcome, kept: Type.Union([RecordedKept, Type.Null()]) }),
);

/** The text is from the record and the same each time, so a repeated call may find it stored. */
const KEEP = `
WITH kept AS (
  INSERT INTO tool_results (call_id, session_id, bytes, lines, content) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING)
SELECT 1 AS done`;

/**
 * The outcome that is recorded for a call of a session with recorded tools; it is not made. The same call gets the same outcome however
 * often it asks. A call that nothing is recorded for is an error to the model that says so; if the session's calls are made but for
 * one (`edited`), it is null. Throws database errors.
 */
export async function answerFromRecord(
  {
    db,
    sessionId,
    tools: { source },
  }: Pick<OwnedSession, "db" | "sessionId"> & { readonly tools: Pick<SessionTools, "source"> },
  call: AskedCall,
): Promise<ToolOutcome | null> {
  const callId = toolCallId(call.executionId, call);
  const { server_name, tool_name } = toolNames(call.name);
  return db.transaction(async (transaction) => {
    await transaction.query(LOCK, [sessionId]);
    const [found] = await selectRows(transaction, parseFound, FIND, [
      sessionId,
      callId,
      call.executionId,
      call.iteration,
      call.index,
      server_name,
      tool_name,
      postgresSafeJson(call.parameters),
      source === "recorded",
    ]);
    if (found === undefined) {
      return source === "recorded" ? { kind: "refused", message: notRecorded(call.name) } : null;
    }
    const { outcome, kept } = found;
    if (kept === null || outcome.kind !== "result") return outcomeOf(outcome);
    const { handle, bytes, lines, content } = kept;
    await transaction.query(KEEP, [callId, sessionId, bytes, lines, content]);
    return outcomeOf({ ...outcome, content: outcome.content.replaceAll(handle, callId) });
  });
}

function notRecorded(name: string): string {
  return `this session repeats recorded tool calls, and no call of "${name}" with these arguments is recorded; the call was not made`;
}

function outcomeOf(recorded: RecordedOutcome): ToolOutcome {
  switch (recorded.kind) {
    case "result": {
      const { content, is_error: isError, own_text } = recorded;
      return { kind: "result", content, isError, ...(own_text === true ? { isOwnText: true } : {}) };
    }
    case "unknown_tool":
      return { kind: "unknown_tool", message: recorded.message };
    case "refused": {
      const { message, reason } = recorded;
      return { kind: "refused", message, ...(reason === undefined ? {} : { reason }) };
    }
    case "exception": {
      const { message, is_timeout = false, may_have_run = false } = recorded;
      return { kind: "exception", message, isTimeout: is_timeout, mayHaveRun: may_have_run };
    }
    default:
      return recorded satisfies never;
  }
}
