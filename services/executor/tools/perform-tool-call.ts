import { DEFAULT_ORCHESTRATOR } from "#shared/contracts/resolved-chain.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { askForApproval } from "../features/approvals/ask-for-approval.ts";
import { findBuiltInTool, fullToolName, isSubAgentTool } from "../controllers/built-in-tools.ts";
import type { RequestedCall, RunTool } from "../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { answerSubAgentTool } from "../features/sub-agents/answer-sub-agent-tool.ts";
import { tellPhase } from "../stream/tell-phase.ts";
import type { AgentWait } from "../core/wait.ts";
import { concludedBefore, deniedByPolicy } from "./calls-not-made.ts";
import type { MadeCall } from "./calls-ahead.ts";
import { findKeptResult } from "./find-kept-result.ts";
import { findRepeatedResult } from "./find-repeated-result.ts";
import { makeToolCall } from "./make-tool-call.ts";
import { recordToolCall, toolCallKey, toolNames } from "./record-tool-call.ts";

/**
 * Adds the timeline rows of tool calls to the agent's steps, unless a former owner has inserted them. They must be stored
 * before the calls are made: to the next owner they say that the calls may have run.
 */
function announceToolCalls(run: ExecutionRun, calls: readonly RequestedCall[]): void {
  const { execution, state, steps } = run;
  const { iteration } = state.iteration;
  const timeline = timelineOf(run, iteration);
  for (const call of calls) {
    const key = toolCallKey(call);
    if (steps.memory.timeline.announced.has(wholeRowId(execution, iteration, key))) continue;
    timeline.add({
      key,
      type: "llm_tool_call",
      content: postgresSafeText(call.rawArguments).text,
      metadata: { ...toolNames(call.name), arguments: parseActionInput(call.rawArguments) },
      interactionId: null,
    });
  }
  const record = timeline.record();
  if (record.events.length > 0) steps.add(record);
}

/**
 * Makes one tool call: announces it, has it run once, and adds its outcome with the message to the model to the agent's
 * steps. The calls beside it are announced and begun with it; each is recorded by a step of its own. A call that the policy
 * or a person denies is not made, nor one that only repeats the last two. Returns what the call waits for; null if it has an outcome.
 */
export async function performToolCall(run: ExecutionRun, step: RunTool): Promise<AgentWait | null> {
  const { steps } = run;
  const concluded = await concludedBefore(run, step);
  const permission =
    concluded === null ? await askForApproval(run, step) : { kind: "refused" as const, outcome: concluded };
  if (permission.kind === "waiting") return permission.wait;
  announceToolCalls(run, concluded === null ? [step.call, ...step.beside] : [step.call]);
  await steps.commit();
  const denial = permission.kind === "refused" ? permission.outcome : deniedByPolicy(run, step.call);
  const parameters = parseActionInput(step.call.rawArguments);
  if (denial !== null) {
    steps.add(recordToolCall(run, { ...step, parameters, outcome: denial, usedMs: 0 }));
    return null;
  }
  const known = findBuiltInTool(step.call.name, run.state.tools ?? []);
  if (isSubAgentTool(known)) {
    const { outcome, effect } = answerSubAgentTool(run, { name: known, index: step.call.index, parameters });
    const finished = { ...step, parameters, outcome, usedMs: 0 };
    steps.add(recordToolCall(effect === null ? run : withBudget(run), finished));
    if (effect !== null) steps.add(effect);
    return null;
  }
  const message = `Calling ${fullToolName(step.call.name)}`;
  tellPhase(run.session, run.execution, { phase: "gathering_info", message });
  for (const call of step.beside) {
    const isAnsweredLater = isSubAgentTool(findBuiltInTool(call.name, run.state.tools ?? []));
    if (!isAnsweredLater) beginCall(run, { ...step, call });
  }
  const callId = idOf(run, step.call);
  const begun = steps.callsAhead.take(callId);
  const { outcome, ms: usedMs } = await (begun ?? makeOrRepeat(run, step));
  const kept = await findKeptResult(run, { callId, name: step.call.name, outcome });
  steps.add(recordToolCall(run, { ...step, parameters, outcome, kept, usedMs }));
  return null;
}

/** The run with the time until which the agent waits for its sub-agents, which begins with the first of them. */
function withBudget(run: ExecutionRun): ExecutionRun {
  const { session, state } = run;
  if (state.iteration.budget_until !== undefined) return run;
  const { max_budget_ms } = state.agent.orchestrator ?? DEFAULT_ORCHESTRATOR;
  const budget_until = new Date(session.databaseNow() + max_budget_ms).toISOString();
  return { ...run, state: { ...state, iteration: { ...state.iteration, budget_until } } };
}

/** Calls that were begun beside another are not looked up: they do not follow what is stored. */
async function makeOrRepeat(run: ExecutionRun, step: RunTool): Promise<MadeCall> {
  // A repetition that was answered with the last result is recorded as such.
  const isRecorded = run.session.toolSource === "recorded";
  const repeated = isRecorded ? null : await findRepeatedResult(run, step.call);
  return repeated === null ? makeToolCall(run, step, run.session.signal) : { outcome: repeated, ms: 0 };
}

function beginCall(run: ExecutionRun, step: RunTool): void {
  run.steps.callsAhead.begin(idOf(run, step.call), async (stopped) =>
    makeToolCall(run, step, AbortSignal.any([run.session.signal, stopped])),
  );
}

function idOf({ execution, state }: ExecutionRun, { index }: RequestedCall): string {
  return toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index });
}
