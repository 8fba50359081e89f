import { isTerminal } from "#shared/contracts/statuses.ts";
import { conclusionPrompt } from "../../prompts/iteration-prompts.ts";
import { unfinishedSubAgents } from "../../prompts/sub-agent-sections.ts";
import type { SubAgentState } from "../../state/session-state.ts";
import type { AgentState, AgentStep } from "../../core/agent-state.ts";

/**
 * What an agent with sub-agents does instead of the step that its strategy chose. Results go into its conversation before each
 * call of the model. It neither answers nor concludes while sub-agents run, as long as its budget lasts; then it concludes
 * without them. An agent that ends has its sub-agents stopped first.
 */
export function awaitSubAgents(state: AgentState, next: AgentStep): AgentStep {
  const { subAgents = [] } = state;
  const open = subAgents.filter(({ status }) => !isTerminal(status));
  const ended = subAgents.filter(({ status, is_delivered }) => isTerminal(status) && !is_delivered);
  if (open.length + ended.length === 0) return next;
  if (!isAnswerDue(state, next)) return next.kind === "finish" ? beforeEnd(open, next) : next;
  if (ended.length > 0) return { kind: "deliver-results", subAgents: ended };
  if (state.iteration.phase === "concluding") return next;
  if (state.isBudgetOver === true) return conclude(state, next, open);
  return next.kind === "call-llm" ? { ...next, isInterim: true } : { kind: "wait-for-sub-agents" };
}

/** The model is to be called, has answered, or is to be asked for its conclusion. */
function isAnswerDue({ iteration }: AgentState, next: AgentStep): boolean {
  if (next.kind === "call-llm") return true;
  if (next.kind === "append-user-message") return next.concluding;
  return next.kind === "finish" && next.status === "completed" && iteration.phase === "iterating";
}

function conclude(state: AgentState, next: AgentStep, open: readonly SubAgentState[]): AgentStep {
  const names = unfinishedSubAgents(open);
  const content =
    next.kind === "append-user-message"
      ? `${names}\n\n${next.content}`
      : conclusionPrompt(state.agent, `${names} No further tool calls are possible.`);
  return { kind: "append-user-message", content, concluding: true };
}

function beforeEnd(open: readonly SubAgentState[], end: AgentStep): AgentStep {
  if (open.length === 0) return end;
  const running = open.filter(({ is_cancelled }) => !is_cancelled);
  if (running.length === 0) return { kind: "wait-for-sub-agents" };
  return { kind: "cancel-sub-agents", subAgents: running };
}
