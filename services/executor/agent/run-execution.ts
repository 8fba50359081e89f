import type { SessionStep } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { concludeExecution } from "../record/conclude-execution.ts";
import { openConversation } from "../record/open-conversation.ts";
import { tellModel } from "../record/tell-model.ts";
import type { ExecutionRun } from "./execution-run.ts";
import { loadAgentState, loadAlert } from "./load-agent-state.ts";
import { nextAgentStep } from "./next-agent-step.ts";
import { performLlmCall } from "./perform-llm-call.ts";
import { performToolCall } from "./perform-tool-call.ts";
import { performToolListing } from "./perform-tool-listing.ts";
import type { AgentStep } from "./steps/agent-step.ts";

/**
 * Runs one agent: loads what is stored, asks its strategy for the next step, performs it, commits the outcome and asks
 * again, until the execution's row is terminal. Throws the session signal's reason when called off.
 */
export async function runExecution(
  session: OwnedSession,
  { execution, agent, chain, previous }: Extract<SessionStep, { kind: "run-execution" }>,
): Promise<void> {
  // The one thing that never changes, and it may be a megabyte.
  const alert = await loadAlert(session);
  for (;;) {
    session.throwIfStopped();
    const state = await loadAgentState(session, execution, { agent, chain, previous, alert });
    const step = nextAgentStep(state);
    const startedAt = performance.now();
    await perform({ session, execution, state }, step);
    session.metrics.steps.inc({ kind: step.kind });
    session.metrics.stepSeconds.observe({ kind: step.kind }, (performance.now() - startedAt) / 1_000);
    if (step.kind === "conclude") return;
  }
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
