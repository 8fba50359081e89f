import { isRunbookAddress, runbookAddresses } from "#shared/runbooks/runbook-address.ts";
import { claimOf, storedAnswer } from "./action-claim.ts";
import { usedIterations } from "./controllers/choose-provider.ts";
import type { AgentStep } from "./core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "./core/execution-run.ts";
import { recordEvidence } from "./features/joined-alerts/record-evidence.ts";
import { recordBriefing } from "./features/memories/record-briefing.ts";
import { releaseConclusion } from "./features/budgets/release-conclusion.ts";
import { changeProvider } from "./llm/change-provider.ts";
import { forcedConclusion } from "./llm/forced-conclusion.ts";
import { performLlmCall } from "./llm/perform-llm-call.ts";
import { appendUserMessage, openConversation } from "./persist/conversation.ts";
import { endExecution } from "./persist/execution-rows.ts";
import { askForLessons } from "./features/scoring/ask-for-lessons.ts";
import { recordSteering } from "./features/steering/record-steering.ts";
import { deliverResults } from "./features/sub-agents/deliver-results.ts";
import { waitForSubAgents } from "./features/sub-agents/wait-for-sub-agents.ts";
import { performSummary } from "./features/tool-summaries/perform-summary.ts";
import { performToolCall } from "./tools/perform-tool-call.ts";
import { performToolListing } from "./tools/perform-tool-listing.ts";
import type { AgentWait } from "./core/wait.ts";

/**
 * Performs one step and adds its outcome to the agent's steps; a step that asks others first commits what was added before.
 * Returns what the step waits for if it has no outcome yet.
 */
export async function performStep(run: ExecutionRun, step: AgentStep): Promise<AgentWait | null> {
  const { steps } = run;
  switch (step.kind) {
    case "open-conversation":
      steps.add(openConversation(run, step.messages));
      addLoadedSkills(run);
      recordBriefing(run);
      addRunbookFailure(run);
      return null;
    case "append-user-message":
      steps.add(appendUserMessage(run, step));
      return null;
    case "ask-for-lessons":
      askForLessons(run, step);
      return null;
    case "deliver-steering":
      steps.add(recordSteering(run, step.messages));
      return null;
    case "deliver-evidence":
      steps.add(recordEvidence(run, step.evidence));
      return null;
    case "deliver-results":
      await steps.commit();
      steps.add(await deliverResults(run, step));
      return null;
    case "cancel-sub-agents": {
      const executionChanges = step.subAgents.map(({ execution_id }) => ({
        execution_id,
        cancels: true as const,
      }));
      steps.add({ rows: { executionChanges }, events: [] });
      await steps.commit();
      return null;
    }
    case "wait-for-sub-agents":
      return waitForSubAgents(run);
    case "change-provider":
      changeProvider(run, step);
      return null;
    case "finish":
      finishExecution(run, step);
      return null;
    case "list-tools":
      await steps.commit();
      return performToolListing(run, step);
    case "call-llm":
      await steps.commit();
      return performLlmCall(run, step);
    case "run-tool":
      return performToolCall(run, step);
    case "summarize-result":
      await steps.commit();
      return performSummary(run, step);
    default:
      return step satisfies never;
  }
}

/** Adds a timeline row for each skill that the first messages have; it is committed with them. */
function addLoadedSkills(run: ExecutionRun): void {
  const { state, steps } = run;
  if (state.skills.length === 0) return;
  const timeline = timelineOf(run, state.iteration.iteration);
  for (const { name, body } of state.skills) {
    timeline.add({
      key: `skill:${name}`,
      type: "skill_loaded",
      content: body,
      metadata: { skill_name: name },
      interactionId: null,
    });
  }
  steps.add(timeline.record());
}

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
function finishExecution(
  run: ExecutionRun,
  { answer, ...outcome }: Extract<AgentStep, { kind: "finish" }>,
): void {
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
  releaseConclusion(run);
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
