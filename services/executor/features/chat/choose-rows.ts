import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { TIMELINE_EVENT_TYPES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { TerminalError } from "#shared/errors.ts";
import type { OmittedRows } from "../../prompts/chat-input.ts";

/** A completed row of a timeline and its size. */
export const RowSize = Type.Object({
  event_id: Uuid,
  event_type: literals(TIMELINE_EVENT_TYPES),
  bytes: Type.Integer(),
  /** Of an agent that another one started. */
  is_sub_agent: Type.Boolean(),
});
export type RowSize = Static<typeof RowSize>;

type Omissible = keyof OmittedRows;

/** In the order in which they are left out. */
const ORDER: readonly Omissible[] = ["thoughts", "results", "steps"];

const MIB = 1024 * 1024;

/**
 * The rows of a history, oldest first, that fit into so many bytes: thinking is left out first, then tool results, then other
 * steps, of each kind the oldest rows and only as many as must be. Final analyses always stay, except those of sub-agents, which
 * are steps of the agent that started them; throws TerminalError `message_too_large` if they alone are too large.
 */
export function chooseRows(
  rows: readonly RowSize[],
  maxBytes: number,
): { readonly kept: readonly string[]; readonly omitted: OmittedRows } {
  const left = new Set<string>();
  const omitted = { thoughts: 0, results: 0, steps: 0 };
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  for (const kind of ORDER) {
    for (const row of rows) {
      if (bytes <= maxBytes) break;
      if (kindOf(row) !== kind) continue;
      left.add(row.event_id);
      omitted[kind] += 1;
      bytes -= row.bytes;
    }
  }
  if (bytes > maxBytes) {
    const [found, allowed] = [bytes, maxBytes].map((size) => `${(size / MIB).toFixed(1)} MiB`);
    throw new TerminalError(
      "message_too_large",
      `the answers of the investigation and its chat hold ${found}, but the model may be sent ${allowed} of them: give the chat a provider with a larger max_tool_result_tokens`,
    );
  }
  return { kept: rows.flatMap(({ event_id }) => (left.has(event_id) ? [] : [event_id])), omitted };
}

/** Undefined for a row that always stays. */
function kindOf({ event_type: type, is_sub_agent: isSubAgent }: RowSize): Omissible | undefined {
  if (type === "final_analysis" && !isSubAgent) return undefined;
  if (type === "llm_thinking") return "thoughts";
  return type === "tool_result" || type === "mcp_tool_summary" ? "results" : "steps";
}
