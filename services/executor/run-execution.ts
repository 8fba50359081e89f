import { TerminalError } from "#shared/errors.ts";
import type { AgentState, AgentStep } from "./controllers/controller.ts";
import { nextAgentStep } from "./controllers/next-agent-step.ts";
import type { ExecutionRun } from "./execution-run.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import { loadAgentState, loadParallelResults } from "./load-agent-state.ts";
import type { AgentRun, RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { appendUserMessage, openConversation } from "./persist/conversation.ts";
import { failExecution, finishExecution, startExecution } from "./persist/execution-rows.ts";
import type { AlertInput } from "./prompts/prompt-input.ts";
import { performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";

/** The execution to run, with everything that does not change while it runs. */
type RunExecutionRequest = AgentRun &
  Pick<RunExecutions, "stage" | "synthesisInputs" | "chain" | "previous"> & { readonly alert: AlertInput };

/**
 * Runs one agent: loads the stored state, lets the agent's controller decide the next step, performs it, commits the
 * outcome and repeats until the execution's row is terminal. A terminal error ends the execution as failed. Throws the
 * session signal's reason when cancelled.
 */
export async function runExecution(session: OwnedSession, request: RunExecutionRequest): Promise<void> {
  const { stage, execution } = request;
  session.throwIfStopped();
  if (execution.status === "pending") await startExecution(session, stage, execution);
  try {
    await runSteps(session, request);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    await failExecution(session, stage, execution, error);
  }
}

async function runSteps(session: OwnedSession, request: RunExecutionRequest): Promise<void> {
  const { stage, execution } = request;
  for (;;) {
    session.throwIfStopped();
    const state = await loadState(session, request);
    const step = nextAgentStep(state);
    const startedAt = performance.now();
    await perform({ session, stage, execution, state }, step);
    const kind = METRIC_KINDS[step.kind];
    session.metrics.steps.inc({ kind });
    session.metrics.stepSeconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
    if (step.kind === "finish") return;
  }
}

/** Label values are part of the metrics' public interface: they stay when a step's kind is renamed. */
export const METRIC_KINDS: Record<AgentStep["kind"], string> = {
  "list-tools": "list-tools",
  "open-conversation": "open-conversation",
  "append-user-message": "tell",
  "call-llm": "call-llm",
  "run-tool": "run-tool",
  finish: "conclude",
};

async function loadState(session: OwnedSession, request: RunExecutionRequest): Promise<AgentState> {
  const { stage, execution, agent, chain, previous, alert, synthesisInputs } = request;
  const stored = await loadAgentState(session, execution, { agent, chain, previous, alert });
  // Only the first messages of a synthesis need the other agents' results.
  if (synthesisInputs.length === 0 || stored.messages.length > 0) return { ...stored, parallel: null };
  return { ...stored, parallel: await loadParallelResults(session, stage.row, synthesisInputs) };
}

async function perform(run: ExecutionRun, step: AgentStep): Promise<void> {
  switch (step.kind) {
    case "list-tools":
      return performToolListing(run, step.serverIds);
    case "open-conversation":
      return openConversation(run, step.messages);
    case "append-user-message":
      return appendUserMessage(run, step);
    case "call-llm":
      return performLlmCall(run, step);
    case "run-tool":
      return performToolCall(run, step);
    case "finish":
      return finishExecution({ ...run, iteration: run.state.iteration.iteration }, step);
    default:
      return step satisfies never;
  }
}
