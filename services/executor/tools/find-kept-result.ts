import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { toolNames, type KeptResult } from "./record-tool-call.ts";

const FIND = "SELECT bytes, lines FROM tool_results WHERE call_id = $1 AND session_id = $2";
const parseKept = compileParser(
  "size of a kept result",
  Type.Object({ bytes: Type.Integer(), lines: Type.Integer() }),
);

/**
 * The whole text of this result if it is to be summarized: its server's results are, it is above the server's threshold, and
 * it is kept. Null otherwise. `callId` is that of the call's first attempt.
 */
export async function findKeptResult(
  { session, state }: Pick<ExecutionRun, "session" | "state">,
  {
    callId,
    name,
    outcome,
  }: { readonly callId: string; readonly name: string; readonly outcome: ToolOutcome },
): Promise<KeptResult | null> {
  const settings = state.chain.mcp_server_summaries?.[toolNames(name).server_name];
  // A window says under which id the whole text is read.
  if (settings === undefined || outcome.kind !== "result" || !outcome.content.includes(callId)) return null;
  const [kept] = await selectRows(session.db, parseKept, FIND, [callId, session.sessionId]);
  if (kept === undefined || kept.bytes <= settings.threshold_tokens * CHARS_PER_TOKEN) return null;
  return { handle: callId, ...kept };
}
