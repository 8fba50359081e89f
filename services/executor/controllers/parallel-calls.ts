import { type ToolEffect, toolGate, type ToolDescription } from "#shared/contracts/tool-list.ts";
import type { AgentState, RequestedCall } from "../core/agent-state.ts";
import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";

/** How many calls of an answer run side by side. */
const MAX_SIDE_BY_SIDE = 4;

/**
 * How many calls after the one at `index` run beside it: those that follow it in its group. An answer's calls fall into
 * groups of at most four neighbours that only read; any other call is a group of its own, so it waits for all before it and
 * all after it wait for it. The groups do not depend on the results that there are, so every owner forms the same.
 */
export function callsBeside(
  { tools, agent, chain }: Pick<AgentState, "tools" | "agent" | "chain">,
  names: readonly string[],
  index: number,
): number {
  const reads = names.map((name) => {
    const tool = tools?.find((one) => one.name === name);
    return tool !== undefined && effectOf(tool) === "read" && toolGate(tool, agent, chain) === "run";
  });
  if (reads[index] !== true) return 0;
  const first = reads.lastIndexOf(false, index) + 1;
  const next = reads.indexOf(false, index);
  const end = next === -1 ? names.length : next;
  const group = Math.floor((index - first) / MAX_SIDE_BY_SIDE);
  return Math.min(end, first + (group + 1) * MAX_SIDE_BY_SIDE) - index - 1;
}

function effectOf({ effect, read_only }: ToolDescription): ToolEffect {
  return effect ?? (read_only ? "read" : "write");
}

/** The structured calls of the newest answer that are carried out, in their order; of very many only the first. */
export function callsOfAnswer({ messages }: Pick<AgentState, "messages">): readonly RequestedCall[] {
  const answer = messages.findLast(({ role }) => role === "assistant");
  return (answer?.tool_calls ?? [])
    .slice(0, MAX_CALLS_PER_ANSWER)
    .map(({ id, name, arguments: rawArguments }, index) => ({ index, name, rawArguments, toolCallId: id }));
}
