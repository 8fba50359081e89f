import { MAX_RESULT_BYTES, toolCallId } from "#shared/contracts/tool-call.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { askForApproval } from "../features/approvals/ask-for-approval.ts";
import { findBuiltInTool, fullToolName, isMemoryTool, isStepTool } from "../controllers/built-in-tools.ts";
import type { RequestedCall, RunTool } from "../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { tellPhase } from "../stream/tell-phase.ts";
import type { AgentWait } from "../core/wait.ts";
import { concludedBefore, deniedByPolicy, unmakeableCall } from "./calls-not-made.ts";
import type { MadeCall } from "./calls-ahead.ts";
import { findRepeatedResult } from "./find-repeated-result.ts";
import {
  recordToolCall,
  toolCallKey,
  toolNames,
  type KeptResultFacts,
  callArguments,
} from "./record-tool-call.ts";
import { DEFAULT_RESULT_TOKENS, CHARS_PER_TOKEN, MIN_SHOWN_CHARS } from "#shared/contracts/result-sizes.ts";
import type { Answers, BuiltInCall, StepAnswer, StepAnswers } from "../core/feature.ts";
import { watchSkip } from "../features/steering/watch-skip.ts";
import { inToolSpan } from "../tracing/agent-spans.ts";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { loadCalledTools } from "./built-in/search-tools.ts";
import { callTool } from "./call-tool.ts";
import { ProgressRelay } from "./progress-relay.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { answerFromRecord } from "./recorded/answer-from-record.ts";
import { answerFromWorld } from "./recorded/answer-from-world.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";

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
  const answer = isStepTool(known)
    ? await answerStepTool(run, { name: known, index: step.call.index, parameters })
    : loadCalledTools(run.state, step.call.name);
  if (answer !== null) {
    const { outcome, effect, iteration = run.state.iteration } = answer;
    const finished = { ...step, parameters, outcome, usedMs: 0 };
    steps.add(recordToolCall({ ...run, state: { ...run.state, iteration } }, finished));
    if (effect !== null) steps.add(effect);
    return null;
  }
  const message = `Calling ${fullToolName(step.call.name)}`;
  tellPhase(run.session, run.execution, { phase: "gathering_info", message });
  for (const call of step.beside) {
    const isAnsweredLater = isStepTool(findBuiltInTool(call.name, run.state.tools ?? []));
    if (!isAnsweredLater) beginCall(run, { ...step, call });
  }
  const callId = idOf(run, step.call);
  const begun = steps.callsAhead.take(callId);
  const { outcome, ms: usedMs } = await (begun ?? makeOrRepeat(run, step));
  const kept = await findKeptResult(run, { callId, name: step.call.name, outcome });
  steps.add(recordToolCall(run, { ...step, parameters, outcome, kept, usedMs }));
  return null;
}

/** Calls that were begun beside another are not looked up: they do not follow what is stored. */
async function makeOrRepeat(run: ExecutionRun, step: RunTool): Promise<MadeCall> {
  // A repetition that was answered with the last result is recorded as such.
  const isRecorded = run.session.tools.source === "recorded";
  const repeated = isRecorded ? null : await findRepeatedResult(run, step.call);
  return repeated === null
    ? makeToolCall(run, step, run.session.signals.cancelled)
    : { outcome: repeated, ms: 0 };
}

function beginCall(run: ExecutionRun, step: RunTool): void {
  run.steps.callsAhead.begin(idOf(run, step.call), async (stopped) =>
    makeToolCall(run, step, AbortSignal.any([run.session.signals.cancelled, stopped])),
  );
}

function idOf({ execution, state }: ExecutionRun, { index }: RequestedCall): string {
  return toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index });
}

type AnnouncedCall = Pick<RunTool, "call" | "asObservation">;

/**
 * Has an announced call run once. If a former owner has announced it, the call may have run: then its recorded outcome
 * counts, otherwise its id is abandoned and a new attempt is made.
 */
async function makeToolCall(run: ExecutionRun, step: AnnouncedCall, signal: AbortSignal): Promise<MadeCall> {
  const { name, rawArguments } = step.call;
  const tools = run.state.tools ?? [];
  const knownName = findBuiltInTool(name, tools) ?? tools.find((tool) => tool.name === name)?.name;
  const traced = { callId: idOf(run, step.call), knownName, arguments: rawArguments };
  return inToolSpan(run.session, traced, () => make(run, step, signal));
}

async function make(run: ExecutionRun, step: AnnouncedCall, signal: AbortSignal): Promise<MadeCall> {
  const { call } = step;
  const { session, execution, state, steps } = run;
  const { iteration } = state.iteration;
  const position = { iteration, index: call.index };
  const callId = idOf(run, call);
  const written = writtenArguments(run, call);
  const request = { callId, executionId: execution.execution_id, name: call.name };
  const eventId = wholeRowId(execution, iteration, toolCallKey(call));
  const announced = steps.memory.timeline.announced.get(eventId);
  const builtIn = findBuiltInTool(call.name, state.tools ?? []);
  if (isStepTool(builtIn)) throw new Error(`${builtIn} is answered by the step that asks for it`);
  const startedAt = performance.now();
  const parameters = parseActionInput(call.rawArguments);
  const callArgumentsText = callArguments(step, written ?? call.rawArguments);
  const maxResultTokens = resultTokens(run, call.name);
  const maxChars = Math.max(MIN_SHOWN_CHARS, maxResultTokens * CHARS_PER_TOKEN);
  if (session.tools.source !== "live" && (builtIn === undefined || isMemoryTool(builtIn))) {
    const asked = { name: call.name, arguments: callArgumentsText };
    const unmakeable = builtIn === undefined ? unmakeableCall(state.tools ?? [], asked) : null;
    const outcome =
      unmakeable ??
      (session.tools.source === "world"
        ? await answerFromWorld(run, { ...asked, callId, maxChars: Math.min(MAX_RESULT_BYTES, maxChars) })
        : await answerFromRecord(session, { ...request, ...position, parameters }));
    if (outcome !== null) return { outcome, ms: performance.now() - startedAt };
  }
  // No runner can have run a built-in tool.
  if (announced?.byThisOwner !== true && builtIn === undefined) await abandonOpenCalls(session, [request]);
  using skip = watchSkip(run, eventId);
  using relay = new ProgressRelay({ session, executionId: execution.execution_id, eventId });
  const outcome =
    builtIn === undefined
      ? await callTool(
          session,
          state.tools ?? [],
          {
            ...request,
            position,
            arguments: callArgumentsText,
            isIncomplete: written === null,
            timeoutMs: session.tools.callMs,
            maxResultTokens,
            onProgress: (progress) => relay.push(progress),
          },
          AbortSignal.any([signal, skip.signal]),
        )
      : await answerBuiltIn(
          run,
          {
            name: builtIn,
            parameters,
            maxChars,
            handle: callId,
          },
          signal,
        );
  return { outcome, ms: performance.now() - startedAt };
}

async function answerStepTool<Name extends keyof StepAnswers>(
  run: ExecutionRun,
  call: Pick<BuiltInCall<Name>, "name" | "parameters"> & { readonly index: number },
): Promise<StepAnswer> {
  return run.session.features.stepTools[call.name](run, call);
}

async function answerBuiltIn<Name extends keyof Answers>(
  run: ExecutionRun,
  call: BuiltInCall<Name>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  return run.session.features.tools[call.name](run, call, signal);
}

/** The longest result that goes into the conversation whole: as the server's configuration and the provider allow. */
function resultTokens({ state }: ExecutionRun, name: string): number {
  const { server_name } = toolNames(name);
  const ofServer = state.chain.mcp_server_result_tokens?.[server_name] ?? DEFAULT_RESULT_TOKENS;
  return Math.min(ofServer, state.agent.llm_provider.max_tool_result_tokens);
}

/**
 * The arguments as the model wrote them. Null if only masked ones are left: the process that had the others in memory is
 * gone.
 */
function writtenArguments(
  { state, steps }: ExecutionRun,
  { index, rawArguments }: RunTool["call"],
): string | null {
  if (state.iteration.masked_arguments?.includes(index) !== true) return rawArguments;
  return steps.writtenArguments.get(index) ?? null;
}

const FIND_KEPT = "SELECT bytes, lines FROM tool_results WHERE call_id = $1 AND session_id = $2";
const parseKept = compileParser(
  "size of a kept result",
  Type.Object({ bytes: Type.Integer(), lines: Type.Integer() }),
);

/**
 * The whole text of this result if it is to be summarized: its server's results are, it is above the server's threshold, and
 * it is kept. Null otherwise. `callId` is that of the call's first attempt.
 */
async function findKeptResult(
  { session, state }: Pick<ExecutionRun, "session" | "state">,
  {
    callId,
    name,
    outcome,
  }: { readonly callId: string; readonly name: string; readonly outcome: ToolOutcome },
): Promise<KeptResultFacts | null> {
  const settings = state.chain.mcp_server_summaries?.[toolNames(name).server_name];
  // A window says under which id the whole text is read.
  if (settings === undefined || outcome.kind !== "result" || !outcome.content.includes(callId)) return null;
  const [kept] = await selectRows(session.db, parseKept, FIND_KEPT, [callId, session.sessionId]);
  if (kept === undefined || kept.bytes <= settings.threshold_tokens * CHARS_PER_TOKEN) return null;
  return { handle: callId, ...kept };
}
