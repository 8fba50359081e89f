import { isRunbookAddress, runbookAddresses } from "#shared/runbooks/runbook-address.ts";
import { claimOf, storedAnswer } from "./controllers/action-claim.ts";
import { usedIterations } from "./controllers/choose-provider.ts";
import type { StepKind, StepOf } from "./core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "./core/execution-run.ts";
import type { Performers } from "./core/feature.ts";
import type { AgentWait } from "./core/wait.ts";
import { changeProvider } from "./llm/change-provider.ts";
import { forcedConclusion } from "./llm/reply-rows.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import { appendUserMessage, openConversation } from "./persist/conversation.ts";
import { endExecution } from "./persist/execution-rows.ts";
import { performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";

/** Performs a step of this kind. Returns what it waits for if it has no outcome yet. */
export async function performStep<K extends StepKind>(
  run: ExecutionRun,
  kind: K,
  step: StepOf[K],
): Promise<AgentWait | null> {
  return (await run.session.features.performers[kind](run, step)) ?? null;
}

/** The functions that perform the steps that no feature decides. */
export const BASE_PERFORMERS = {
  "open-conversation": (run, { messages }) => {
    run.steps.add(openConversation(run, messages));
    for (const { opening } of run.session.features.list) opening?.(run);
    addRunbookFailure(run);
  },
  "append-user-message": (run, step) => {
    run.steps.add(appendUserMessage(run, step));
  },
  "change-provider": changeProvider,
  finish: finishExecution,
  "list-tools": performToolListing,
  "call-llm": performLlmCall,
  "run-tool": performToolCall,
} satisfies Partial<Performers>;

/** Adds a timeline row if an address of the runbook could not be fetched; it is committed with the first messages. */
function addRunbookFailure(run: ExecutionRun): void {
  const { alert, chain } = run.state;
  const { runbookFailure: reason, runbookText } = alert;
  if (reason === undefined || typeof run.state.task === "string") return;
  const [address = ""] = runbookAddresses(alert.runbookUrl, chain.default_runbook);
  const isReplaced = runbookText !== undefined || !isRunbookAddress(chain.default_runbook);
  const used = isReplaced
    ? "The default runbook is used."
    : "The agents know only the address of the default runbook.";
  const timeline = timelineOf(run, run.state.iteration.iteration);
  timeline.add({
    key: "runbook",
    type: "error",
    content: `The runbook ${address} was not fetched: ${reason}. ${used}`,
    metadata: { runbook_url: address, reason },
    interactionId: null,
  });
  run.steps.add(timeline.record());
}

/** Adds how the execution ends, and its answer where the timeline does not have it yet. */
function finishExecution(run: ExecutionRun, { answer, ...outcome }: StepOf["finish"]): undefined {
  const { stage, execution, state, steps } = run;
  const timeline = timelineOf(run, state.iteration.iteration);
  if (answer !== null && answer !== "") {
    const metadata =
      state.iteration.phase === "concluding"
        ? forcedConclusion(state.agent, usedIterations(state.iteration) - 1, state.iteration.budget_stop)
        : null;
    const content = storedAnswer(state.agent, answer);
    timeline.addStream("answer", {
      content,
      interactionId: null,
      ...(metadata === null ? {} : { metadata }),
    });
  }
  steps.add(timeline.record());
  for (const { ending } of run.session.features.list) ending?.(run);
  const claim = outcome.status === "completed" ? claimOf(state) : null;
  steps.add(
    endExecution(
      stage,
      execution,
      outcome,
      claim === null ? undefined : { ...state.iteration, actions_claimed: claim },
    ),
  );
}
