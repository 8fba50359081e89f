import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ResultToolName } from "../../controllers/built-in-tools.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { Answers, BuiltInCall } from "../../core/feature.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import type { ToolOutcome } from "../tool-outcome.ts";
import { queryInThread } from "./query-in-thread.ts";
import type { TextQuery } from "./query-text.ts";
import { readQuery } from "./read-query.ts";

/** A session reads its own results only, and none once it is deleted. */
const READ = `
SELECT content FROM tool_results t JOIN alert_sessions s USING (session_id)
WHERE t.call_id = $1 AND t.session_id = $2 AND ${isNull("s.deleted_at")}`;
const parseContent = compileParser("kept tool result", Type.Object({ content: Type.String() }));

/** For the line in front of the shown part. */
const HEADER_CHARS = 200;

/** The tools that read large results of which a part was shown. */
export const RESULT_TOOLS = {
  result_read: callResultTool,
  result_search: callResultTool,
  result_json: callResultTool,
} satisfies Partial<Answers>;

/**
 * Answers a call of a tool that reads a kept result; the answer is cut to its length, and to 256 KiB. Throws database errors and the
 * signal's reason.
 */
async function callResultTool(
  { session }: ExecutionRun,
  { name, parameters, maxChars }: BuiltInCall<ResultToolName>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { db, sessionId } = session;
  const question = readQuery(name, parameters);
  if ("problem" in question) return { kind: "result", content: question.problem, isError: true };
  const { id, query } = question;
  // A code unit has at most three bytes.
  const limit = Math.min(maxChars, Math.floor(MAX_RESULT_BYTES / 3));
  const load = async () => loadTask({ db, sessionId }, id, query, limit - HEADER_CHARS);
  const answer = await queryInThread(load, signal);
  if (answer === null) {
    const content = `not found: this session keeps no large result with the id "${id.slice(0, 100).toWellFormed()}"`;
    return { kind: "result", content, isError: true };
  }
  const content = answer.content.slice(0, safeCut(answer.content, limit));
  return { kind: "result", content, isError: answer.isError };
}

async function loadTask(
  { db, sessionId }: Pick<OwnedSession, "db" | "sessionId">,
  id: string,
  query: TextQuery,
  maxChars: number,
) {
  const [row] = await selectRows(db, parseContent, READ, [id, sessionId]);
  return row === undefined ? null : { kind: "query" as const, text: row.content, query, maxChars };
}
