import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { isMemoryTool, type BuiltInName, type SubAgentToolName } from "../../controllers/built-in-tools.ts";
import type { Asking } from "../../features/memories/query-vector.ts";
import type { OwnedSession } from "../../core/owned-session.ts";
import type { ToolOutcome } from "../tool-outcome.ts";
import { answerMemoryTool } from "../../features/memories/answer-memory-tool.ts";
import { loadSkills } from "../../features/skills/load-skills.ts";
import { queryInThread } from "./query-in-thread.ts";
import type { TextQuery } from "./query-text.ts";
import { readQuery } from "./read-query.ts";

/** A call of a built-in tool. */
interface BuiltInCall {
  readonly name: Exclude<BuiltInName, SubAgentToolName>;
  /** As parsed from what the model wrote. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The answer is cut to this many UTF-16 code units, and to 256 KiB. */
  readonly maxChars: number;
  /** The id under which the whole text of a large answer is kept. */
  readonly handle: string;
  /** What the session's configuration says of memories. */
  readonly memory: Pick<NonNullable<ResolvedChain["memory"]>, "embedding">;
  /** The skills that the agent may load. */
  readonly skills: NonNullable<ResolvedAgent["skills"]>;
}

/** A session reads its own results only, and none once it is deleted. */
const READ = `
SELECT content FROM tool_results t JOIN alert_sessions s USING (session_id)
WHERE t.call_id = $1 AND t.session_id = $2 AND s.deleted_at IS NULL`;
const parseContent = compileParser("kept tool result", Type.Object({ content: Type.String() }));

/** For the line in front of what is shown. */
const HEADER_CHARS = 200;

/**
 * Answers a call of a built-in tool from what is stored. It has no effect, so it may be repeated until its outcome is
 * committed. Throws database errors and the signal's reason.
 */
export async function callBuiltInTool(
  session: Pick<OwnedSession, keyof Asking>,
  { name, parameters, maxChars, handle, memory, skills }: BuiltInCall,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { db, sessionId } = session;
  if (name === "load_skill") return loadSkills(db, skills, parameters);
  if (isMemoryTool(name)) return answerMemoryTool(session, { name, parameters, maxChars, handle, memory });
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
  return row === undefined ? null : { text: row.content, query, maxChars };
}
