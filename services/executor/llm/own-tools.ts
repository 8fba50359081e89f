import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import type { AgentState, CallLlm } from "../core/agent-state.ts";
import { markedDescription } from "#shared/contracts/tool-marks.ts";

/**
 * The tools of TARSy itself that a call was given, as the model got them: a later version may describe them in other words. They are
 * recorded with the calls up to the execution's first answer; later calls have the same. Absent for none.
 */
export function ownTools(
  { tools }: Pick<CallLlm, "tools">,
  { messages }: Pick<AgentState, "messages">,
): { readonly own_tools?: readonly object[] } {
  const own = tools.filter(({ server }) => server === BUILT_IN_SERVER);
  if (own.length === 0 || messages.some(({ role }) => role === "assistant")) return {};
  return {
    own_tools: own.map((tool) => ({
      name: tool.name,
      description: markedDescription(tool),
      parameters_schema: tool.parameters_schema,
    })),
  };
}
