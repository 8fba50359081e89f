import { isTerminal } from "#shared/contracts/statuses.ts";
import type { AgentState, AgentStep } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { AskingAgent, Feature, Loaded } from "../../core/feature.ts";
import { waitFrom, type AgentWait } from "../../core/wait.ts";
import { conclusionPrompt } from "../../prompts/iteration-prompts.ts";
import { unfinishedSubAgents } from "../../prompts/sub-agent-sections.ts";
import { foldSession, type SubAgentState } from "../../state/session-state.ts";
import { answerSubAgentTool } from "./answer-sub-agent-tool.ts";
import { deliverResults } from "./deliver-results.ts";

/** The step in which an agent waits, after its budget, for sub-agents that were asked to stop. */
const STOPPING_MS = 60_000;

/** Lets agents start others and wait for them; `run-sub-agents.ts` runs these. */
export const SUB_AGENTS = {
  load: loadSubAgents,
  decide: awaitSubAgents,
  perform: {
    "deliver-results": async (run, step) => {
      await run.steps.commit();
      run.steps.add(await deliverResults(run, step));
      return null;
    },
    "cancel-sub-agents": async ({ steps }, { subAgents: children }) => {
      const executionChanges = children.map(({ execution_id }) => ({ execution_id, cancels: true as const }));
      steps.add({ rows: { executionChanges }, events: [] });
      await steps.commit();
      return null;
    },
    "wait-for-sub-agents": waitForSubAgents,
  },
  stepTools: {
    dispatch_agent: answerSubAgentTool,
    cancel_agent: answerSubAgentTool,
    list_agents: answerSubAgentTool,
  },
} satisfies Feature;

/** The sub-agents that an execution has started, after its steps so far; nothing for an agent that may start none. */
async function loadSubAgents({ session, agent, execution, steps }: AskingAgent): Promise<Loaded> {
  if (agent.sub_agents === undefined) return {};
  const { subAgentsVersion } = session.memory;
  const stored = await session.commitMutex(() => session.memory.state());
  const { subAgents: children } = steps.pending.map(({ rows }) => rows).reduce(foldSession, stored);
  const { budget_until } = steps.memory.iteration;
  return {
    subAgents: children.filter(({ parent_execution_id }) => parent_execution_id === execution.execution_id),
    subAgentsVersion,
    isBudgetOver: budget_until !== undefined && session.clock.databaseNow() >= Date.parse(budget_until),
  };
}

/**
 * The step of an agent with sub-agents, in place of the one that its strategy chose. Results go into its conversation
 * before each call of the model. It neither answers nor concludes while sub-agents run, as long as its budget lasts;
 * then it concludes without them. An agent that ends has its sub-agents stopped first.
 */
function awaitSubAgents(state: AgentState, next: AgentStep): AgentStep {
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

/**
 * The wait of an agent whose sub-agents are at work: until one of them ends, something arrives in the session's inbox,
 * or the agent's budget is over. It counts against no deadline but that of the sub-agents themselves.
 */
function waitForSubAgents({ session, state }: ExecutionRun): AgentWait {
  const open = (state.subAgents ?? []).filter(({ status }) => !isTerminal(status));
  const { subAgentsVersion = 0, iteration } = state;
  const { budget_until } = iteration;
  const leftMs = budget_until === undefined ? 0 : Date.parse(budget_until) - session.clock.databaseNow();
  const reason = open.length === 1 ? "a sub-agent is at work" : `${open.length} sub-agents are at work`;
  const wait = waitFrom(session.clock, null, {
    kind: "agents",
    reason,
    delayMs: leftMs > 0 ? leftMs : STOPPING_MS,
    pauses_deadline: true,
  });
  return { ...wait, subAgentsVersion, inboxSeq: session.inbox.newest };
}
