import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import type { AgentState, RequestedCall } from "../core/agent-state.ts";

/** The structured calls of the newest answer that are carried out, in their order; of very many only the first. */
export function callsOfAnswer({ messages }: Pick<AgentState, "messages">): readonly RequestedCall[] {
  const answer = messages.findLast(({ role }) => role === "assistant");
  return (answer?.tool_calls ?? [])
    .slice(0, MAX_CALLS_PER_ANSWER)
    .map(({ id, name, arguments: rawArguments }, index) => ({ index, name, rawArguments, toolCallId: id }));
}
