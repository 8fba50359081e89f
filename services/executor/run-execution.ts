import { TerminalError } from "#shared/errors.ts";
import type { AgentRun, RunExecutions } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { concludeExecution } from "./persist/conclude-execution.ts";
import { failExecution } from "./persist/fail-execution.ts";
import { openConversation } from "./persist/open-conversation.ts";
import { startExecution } from "./persist/start-execution.ts";
import { tellModel } from "./persist/tell-model.ts";
import type { ExecutionRun } from "./execution-run.ts";
import { loadAgentState } from "./load-agent-state.ts";
import { loadParallelResults } from "./load-parallel-results.ts";
import { nextAgentStep } from "./controllers/next-agent-step.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import { performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";
import type { AgentState, AgentStep, AlertInput } from "./controllers/controller.ts";

/** An execution to be run, with all that never changes while it runs. */
export type ExecutionOrder = AgentRun &
  Pick<RunExecutions, "place" | "combined" | "chain" | "previous"> & { readonly alert: AlertInput };

/**
 * Runs one agent: loads what is stored, asks its strategy for the next step, performs it, commits the outcome and asks
 * again, until the execution's row is terminal. An error that no other try can mend is such an end. Throws the session
 * signal's reason when called off.
 */
export async function runExecution(session: OwnedSession, order: ExecutionOrder): Promise<void> {
  const { place, execution } = order;
  session.throwIfStopped();
  if (execution.status === "pending") await startExecution(session, place, execution);
  try {
    await runSteps(session, order);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    await failExecution(session, place, execution, error);
  }
}

async function runSteps(session: OwnedSession, order: ExecutionOrder): Promise<void> {
  const { place, execution } = order;
  for (;;) {
    session.throwIfStopped();
    const state = await loadState(session, order);
    const step = nextAgentStep(state);
    const startedAt = performance.now();
    await perform({ session, place, execution, state }, step);
    session.metrics.steps.inc({ kind: step.kind });
    session.metrics.stepSeconds.observe({ kind: step.kind }, (performance.now() - startedAt) / 1_000);
    if (step.kind === "conclude") return;
  }
}

async function loadState(session: OwnedSession, order: ExecutionOrder): Promise<AgentState> {
  const { place, execution, agent, chain, previous, alert, combined } = order;
  const stored = await loadAgentState(session, execution, { agent, chain, previous, alert });
  // All that the others did is needed for the first messages alone.
  if (combined.length === 0 || stored.messages.length > 0) return { ...stored, parallel: null };
  return { ...stored, parallel: await loadParallelResults(session, place, combined) };
}

async function perform(run: ExecutionRun, step: AgentStep): Promise<void> {
  switch (step.kind) {
    case "list-tools":
      return performToolListing(run, step.serverIds);
    case "open-conversation":
      return openConversation(run, step.messages);
    case "tell":
      return tellModel(run, step);
    case "call-llm":
      return performLlmCall(run, step);
    case "run-tool":
      return performToolCall(run, step);
    case "conclude":
      return concludeExecution(run, step);
    default:
      return step satisfies never;
  }
}
