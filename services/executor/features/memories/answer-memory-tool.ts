import type { MemoryToolName } from "#shared/contracts/memory.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { BuiltInCall } from "../../core/feature.ts";
import { findSessions } from "./find-sessions.ts";
import type { Asking } from "./query-vector.ts";
import { recallMemories } from "./find-memories.ts";
import { foundSessionsText, recalledText } from "../../prompts/history-text.ts";
import { shownOutcome } from "../../tools/shown-outcome.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { readMemoryQuery, type MemoryLookup } from "./read-memory-query.ts";

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
  const text = await answer(session, query, state.chain.memory ?? {});
  return shownOutcome(session, text, { maxChars, handle, isError: false });
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
