import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import type { MemoryToolName } from "#shared/contracts/memory.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { showResult } from "#shared/tool-results/show-result.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { BuiltInCall } from "../../core/feature.ts";
import { findSessions } from "./find-sessions.ts";
import type { Asking } from "./query-vector.ts";
import { recallMemories } from "./find-memories.ts";
import { foundSessionsText, recalledText } from "../../prompts/history-text.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { readMemoryQuery, type MemoryLookup } from "./read-memory-query.ts";

const parseUsed = compileParser("room of kept results", Type.Object({ bytes: Type.Number() }));
const USED = "SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM tool_results WHERE session_id = $1";

/**
 * Answers a call of a tool that looks at earlier sessions. The result is data, as other alerts may have shaped it. It has no effect
 * until its outcome is committed. Throws database errors and the signal's
 * reason.
 */
export async function answerMemoryTool(
  { session, state }: ExecutionRun,
  { name, parameters, maxChars, handle }: BuiltInCall<MemoryToolName>,
): Promise<ToolOutcome> {
  const query = readMemoryQuery(name, parameters);
  if (typeof query === "string") {
    return { kind: "result", content: query, isError: true, isOwnText: true };
  }
  const { text } = postgresSafeText(await answer(session, query, state.chain.memory ?? {}));
  const whole = { text, totalBytes: Buffer.byteLength(text), isWhole: true, isText: true };
  const { content, kept } = showResult(whole, maxChars, handle);
  if (kept === null) return { kind: "result", content, isError: false };
  if (!(await hasRoom(session, kept.bytes))) {
    return { kind: "result", content: kept.windowAlone, isError: false };
  }
  return { kind: "result", content, isError: false, kept };
}

async function answer(
  session: Asking,
  query: MemoryLookup,
  memory: Parameters<typeof recallMemories>[2],
): Promise<string> {
  return query.kind === "recall"
    ? recalledText(await recallMemories(session, query, memory))
    : foundSessionsText(await findSessions(session, query));
}

async function hasRoom({ db, sessionId }: Pick<Asking, "db" | "sessionId">, bytes: number): Promise<boolean> {
  const [used] = await selectRows(db, parseUsed, USED, [sessionId]);
  return (used?.bytes ?? 0) + bytes <= KEPT_RESULT_LIMITS.session;
}
