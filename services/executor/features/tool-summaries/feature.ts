import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import type { SessionLlm } from "../../core/session-parts.ts";
import type { AgentState, AgentStep, StepOf } from "../../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import type { Feature } from "../../core/feature.ts";
import { reserveSummary, settlementOf, withSettlement } from "../../budget/reserve-call.ts";
import { replyFailure } from "../../llm/llm-reply.ts";
import { callModel } from "../../llm/call-llm.ts";
import { callTimeoutMs, generateRequest } from "../../llm/generate-request.ts";
import { tellOutcome, type TrackedCall } from "../../llm/provider-circuits.ts";
import { outcomeWithoutWait, waitForModel } from "../../llm/wait-for-model.ts";
import type { TimelineWriter } from "../../persist/timeline-writer.ts";
import { recordUnfinishedStep, unfinishedStep } from "../../persist/unfinished-step.ts";
import { recordNoSummary, recordSummaryCall, summaryMetadata, type SummaryCall } from "./record-summary.ts";
import { summarizersOf, type Summarizers } from "./summarizers.ts";
import { summaryInput, type SummaryInput } from "./summary-input.ts";
import { tellPhase } from "../../stream/tell-phase.ts";
import { toolNames } from "../../tools/record-tool-call.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import type { PromptMessage } from "../../prompts/prompt-input.ts";
import { insertVariables } from "../../prompts/variable-placeholders.ts";

/** Has large results summarized by a model. */
export const TOOL_SUMMARIES = {
  decide: summarizeResult,
  perform: { "summarize-result": performSummary },
} satisfies Feature;

/**
 * Summarizes the large results of an answer's calls before the conversation goes on; not between the calls, because
 * some of what the next ones need may be in the memory of this process only.
 */
function summarizeResult(
  { iteration }: Pick<AgentState, "iteration">,
  next: AgentStep,
): StepOf["summarize-result"] | null {
  const [result] = iteration.pending_summaries ?? [];
  if (result === undefined || next.kind === "run-tool" || next.kind === "finish") return null;
  return { kind: "summarize-result", result };
}

/**
 * Makes one LLM call that summarizes a large result, streams it live and adds its outcome to the agent's steps: the summary
 * takes the place of the result's window in the conversation. After a failed call the next provider is asked in the next
 * step; after the last one the window stays. Returns what the agent waits for if the model cannot be reached for now, null
 * otherwise. Throws the session's reason when cancelled; then the next owner repeats the call, never the tool.
 */
async function performSummary(
  run: ExecutionRun,
  { result }: StepOf["summarize-result"],
): Promise<WaitingFor | null> {
  const { state, steps } = run;
  await steps.commit();
  await using timeline = timelineOf(run, state.iteration.iteration, `:${result.index}`);
  const settings = state.chain.mcp_server_summaries?.[toolNames(result.name).server_name];
  if (settings === undefined) {
    steps.add(recordNoSummary(run, { result, timeline, reason: "the configuration asks for none" }));
    return null;
  }
  const summarizers = summarizersOf(state, settings);
  const admitted = await admitFirst(run, summarizers);
  if ("reason" in admitted) {
    steps.add(recordNoSummary(run, { result, timeline, reason: admitted.reason, summarizers }));
    return null;
  }
  const { provider, position, tracked } = admitted;
  const asked = { ...summarizers, position };
  try {
    const input = await summaryInput(run, { result, settings, provider });
    if (input === null) {
      const reason = "the whole text is not kept any more";
      steps.add(recordNoSummary(run, { result, timeline, reason }));
      return null;
    }
    await announce(run, timeline, { result, summarizers: asked });
    return await makeCall(run, { result, timeline, provider, summarizers: asked, settings, input }, tracked);
  } finally {
    // No effect if the call's outcome was reported.
    await tracked.abandoned();
  }
}

interface AdmittedProvider {
  readonly provider: ResolvedProvider;
  readonly position: number;
  readonly tracked: TrackedCall;
}

/** The first provider, from the one in use, that is not known to be away. */
async function admitFirst(
  { session }: ExecutionRun,
  { list, position: first }: Summarizers,
): Promise<AdmittedProvider | { readonly reason: string }> {
  let reason = "";
  for (const [position, provider] of list.entries()) {
    if (position < first) continue;
    const tracked = await session.llm.circuits.admit(provider);
    if (!("probeInMs" in tracked)) return { provider, position, tracked };
    reason = `${provider.name} is away: ${tracked.lastError}`;
  }
  return { reason };
}

/** Opens the timeline row before the call, so that people see what the agent does; a later attempt uses the same row. */
async function announce(
  run: ExecutionRun,
  timeline: TimelineWriter,
  { result, summarizers }: Pick<SummaryCall, "result" | "summarizers">,
): Promise<void> {
  if (timeline.openRows().length > 0) return;
  const { tool_name, server_name } = toolNames(result.name);
  const progress = { stage: run.stage, activity: { distilling: `${server_name}.${tool_name}` } };
  run.steps.add({ rows: {}, events: [{ progress }] });
  await timeline.begin("summary", summaryMetadata(result, summarizers));
}

async function makeCall(
  run: ExecutionRun,
  call: Omit<SummaryCall, "reply" | "durationMs"> & { readonly input: SummaryInput },
  tracked: TrackedCall,
): Promise<WaitingFor | null> {
  const { session, state, steps } = run;
  const { provider, timeline, input } = call;
  const agent = { ...state.agent, llm_provider: provider };
  const unfinished = unfinishedStep(run, { kind: "summarize-result" });
  const request = summaryRequest(run, provider, input.messages);
  const executionId = run.execution.execution_id;
  const reserved = await reserveSummary(session, { executionId, provider, request }, true);
  if ("reply" in reserved) {
    const reason = replyFailure(reserved.reply, { thinkingMayAnswer: false })?.message ?? "";
    steps.add(recordNoSummary(run, { result: call.result, timeline, reason }));
    return null;
  }
  const { reservation } = reserved;
  const startedAt = performance.now();
  const { tool_name, server_name } = toolNames(call.result.name);
  const message = `Summarizing a result of ${server_name}.${tool_name}`;
  tellPhase(session, run.execution, { phase: "distilling", message });
  const { reply, lostCalls } = await callModel(session, {
    request: reservation?.request ?? request,
    ...(reservation === undefined ? {} : { mayRepeat: async () => reservation.repeat() }),
    shown: input.messages,
    timeoutMs: callTimeoutMs(agent),
    lostCalls: unfinished.lost_calls,
    hasWaited: unfinished.waiting?.kind === "gateway",
    begin: () => {
      timeline.beginAttempt(session.llm.nextAttempt());
      return {
        thinking: () => undefined,
        text: (delta) => {
          void tracked.answered();
          return timeline.append("summary", delta);
        },
      };
    },
  });
  await tellOutcome(tracked, session.sessionId, reply.outcome);
  const settled = settlementOf(session, reservation, reply);
  // A summary is not worth a long wait: the agent can go on with the shown part.
  const wait = waitForModel(session.clock, reply.outcome, unfinished.waiting, true);
  await timeline.flush();
  if (wait !== null) {
    const waiting = { ...unfinished, lost_calls: lostCalls, waiting: wait };
    steps.add(withSettlement(recordUnfinishedStep(run, waiting), settled), () => timeline.close());
    return wait;
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const ended = { ...reply, outcome: outcomeWithoutWait(reply.outcome) };
  const outcome = recordSummaryCall(run, { ...call, reply: ended, durationMs });
  steps.add(withSettlement(outcome, settled), () => timeline.close());
  return null;
}

/** Whose result is summarized. */
interface SummarizedAgent {
  readonly session: { readonly sessionId: string; readonly llm: Pick<SessionLlm, "readVariable"> };
  readonly execution: { readonly execution_id: string };
  readonly state: Pick<AgentState, "agent" | "alert">;
}

/**
 * The request for a summary, without tools; also those are switched off that the provider runs itself. Only it has the values
 * of variables.
 */
export function summaryRequest(
  { session, execution, state: { agent, alert } }: SummarizedAgent,
  provider: ResolvedProvider,
  messages: readonly PromptMessage[],
): GenerateRequest {
  const inserted = messages.map((message) => ({
    ...message,
    content: insertVariables(message.content, alert.nonce, session.llm.readVariable),
  }));
  const state = { agent: { ...agent, llm_provider: provider }, messages: inserted };
  const { execution_id } = execution;
  const request = generateRequest({ session, execution: { execution_id }, state }, []);
  // The hash of the provider's entry covers these tools, so they are removed from the request only.
  return request.llmConfig === undefined
    ? request
    : { ...request, llmConfig: { ...request.llmConfig, nativeTools: {} } };
}
