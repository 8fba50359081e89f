import type { RunExecutions, AgentRun } from "../../next-session-step.ts";

/** True for an agent that is told memories at its start: one of a chain that remembers, which investigates or acts and was started by no other. */
export function isBriefed({
  agent,
  execution,
  chain,
  followUp,
}: Pick<AgentRun, "agent" | "execution"> & Pick<RunExecutions, "chain" | "followUp">): boolean {
  const isSynthesis = agent.iteration_strategy.startsWith("synthesis");
  const isDispatched = execution.parent_execution_id !== undefined;
  return chain.memory !== undefined && followUp === undefined && !isSynthesis && !isDispatched;
}
