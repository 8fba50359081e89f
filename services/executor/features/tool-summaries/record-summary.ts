import { uuidFrom } from "#shared/uuid-from.ts";
import type { IterationState, PendingSummary } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider, ResolvedSummaries } from "#shared/contracts/resolved-chain.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { replyFailure, replyTokens, type LlmReply } from "../../llm/llm-reply.ts";
import { llmInteractionRow } from "../../llm/llm-interaction-row.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import type { TimelineWriter } from "../../persist/timeline-writer.ts";
import type { MessageChange } from "../../state/step-rows.ts";
import { handleOf, withHandle } from "../../state/agent-handles.ts";
import { outcomeText, toolNames } from "../../tools/record-tool-call.ts";
import { withSummarizer, type Summarizers } from "./summarizers.ts";
import type { SummaryInput } from "./summary-input.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { RESULT_TOOL_NAMES } from "../../controllers/built-in-tools.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";

/** A finished call for a summary and the row it was streamed into. */
export interface SummaryCall {
  readonly result: PendingSummary;
  readonly settings: ResolvedSummaries;
  readonly provider: ResolvedProvider;
  readonly summarizers: Summarizers;
  readonly input: Pick<SummaryInput, "recorded" | "maxTokens">;
  readonly timeline: TimelineWriter;
  readonly reply: LlmReply;
  readonly durationMs: number;
}

/**
 * The step that records a call for a summary: with the summary, its timeline row and the message to the model; with the last
 * provider's failure, the row that says so; with any other failure, which provider is asked next.
 */
export function recordSummaryCall(run: ExecutionRun, call: SummaryCall): StepRecord {
  const { execution, state } = run;
  const { result, provider, summarizers, timeline, reply, input } = call;
  const { execution_id } = execution;
  const summary = cutSummary(reply.text, input.maxTokens);
  const failure = replyFailure({ ...reply, text: summary, toolCalls: [] }, { thinkingMayAnswer: false });
  const { iteration } = state.iteration;
  const number = `${iteration}:${result.index}:${result.failed_calls + 1}`;
  const interactionId = uuidFrom(`llm:summary:${number}`, execution_id);
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: "summarization",
    provider,
    pricing: run.session,
    // The input is not the execution's conversation, so the record stores it.
    lastMessageId: null,
    request: {
      messages_count: input.recorded.length,
      iteration,
      tools_count: 0,
      provider: provider.name,
      tool_call_id: result.handle,
      messages: input.recorded,
    },
    reply,
    storedText: failure === null ? summary : "",
    durationMs: call.durationMs,
    failure,
  });
  const tokens = replyTokens(reply);
  const next = summarizers.position + 1;
  const isLast = next >= summarizers.list.length;
  const iteration_state =
    failure === null
      ? withSummarizer(withoutResult(state.iteration, result), summarizers, summarizers.position)
      : isLast
        ? withSummarizer(withoutResult(state.iteration, result), summarizers, null)
        : withSummarizer(withFailedCall(state.iteration, result), summarizers, next);
  const messageChanges = failure === null ? summaryInMessage(run, result, summary) : [];
  const end =
    failure === null
      ? ({ status: "completed", content: summary } as const)
      : isLast
        ? ({ status: "failed", content: noSummary(failure.message) } as const)
        : null;
  if (end !== null) endRow(timeline, { call, ...end, interactionId });
  const { rows, events } = timeline.record();
  return {
    rows: {
      ...rows,
      ...(messageChanges.length === 0 ? {} : { messageChanges }),
      llmInteractions: [interaction],
      executionChanges: [{ execution_id, iteration_state, tokens }],
    },
    events: end === null ? events : [...events, investigating(run)],
    tokens,
  };
}

/** The step that goes on with the shown part of a result for which no model can be asked. */
export function recordNoSummary(
  run: ExecutionRun,
  {
    result,
    timeline,
    reason,
    summarizers,
  }: Pick<SummaryCall, "result" | "timeline"> & {
    readonly reason: string;
    /** The providers, if it is they that cannot be asked. */
    readonly summarizers?: Summarizers;
  },
): StepRecord {
  const { execution, state } = run;
  const [open] = timeline.openRows();
  const end = { status: "failed", content: noSummary(reason), interactionId: null } as const;
  if (open === undefined) {
    const metadata = { ...toolNames(result.name), original_tokens: tokensOf(result) };
    timeline.add({ ...end, type: "mcp_tool_summary", metadata });
  } else {
    timeline.complete(open, end);
  }
  const { rows, events } = timeline.record();
  const after = withoutResult(state.iteration, result);
  const iteration_state = summarizers === undefined ? after : withSummarizer(after, summarizers, null);
  const executionChanges = [{ execution_id: execution.execution_id, iteration_state }];
  return { rows: { ...rows, executionChanges }, events: [...events, investigating(run)] };
}

/** The metadata of a summary's timeline row. */
export function summaryMetadata(result: PendingSummary, { list, position }: Summarizers): object {
  const [first] = list;
  const provider = list[position] ?? first;
  return {
    ...toolNames(result.name),
    original_tokens: tokensOf(result),
    summarization_model: provider.model,
    summarization_provider: provider.name,
    summarization_fallback: provider !== first,
  };
}

function endRow(
  timeline: TimelineWriter,
  {
    call: { result, summarizers },
    ...end
  }: {
    readonly call: Pick<SummaryCall, "result" | "summarizers">;
    readonly status: "completed" | "failed";
    readonly content: string;
    readonly interactionId: string;
  },
): void {
  const [open] = timeline.openRows();
  if (open !== undefined) timeline.complete(open, { ...end, metadata: summaryMetadata(result, summarizers) });
}

function noSummary(reason: string): string {
  return `No summary: ${reason}. The model was shown a part of the result instead.`;
}

/** The result's message with the summary instead of the window. */
function summaryInMessage(
  { execution, state }: ExecutionRun,
  result: PendingSummary,
  summary: string,
): MessageChange[] {
  const finished = {
    name: result.name,
    asObservation: result.as_observation,
    outcome: { kind: "result", content: summaryMessage(summary, result), isError: result.is_error },
  } as const;
  const content = outcomeText(finished, state.alert.nonce).modelText;
  return state.messages
    .filter(({ sequence_number }) => sequence_number === result.message)
    .map((message) => ({
      message_id: message.message_id,
      execution_id: execution.execution_id,
      content: withHandle(content, handleOf(message.content)),
    }));
}

function withoutResult(
  { pending_summaries = [], unfinished_step: _step, ...rest }: IterationState,
  { message }: PendingSummary,
): IterationState {
  const others = pending_summaries.filter((pending) => pending.message !== message);
  return others.length === 0 ? rest : { ...rest, pending_summaries: others };
}

function withFailedCall(
  { pending_summaries = [], unfinished_step: _step, ...rest }: IterationState,
  { message }: PendingSummary,
): IterationState {
  const counted = pending_summaries.map((pending) =>
    pending.message === message ? { ...pending, failed_calls: pending.failed_calls + 1 } : pending,
  );
  return { ...rest, pending_summaries: counted };
}

function investigating({ stage }: ExecutionRun): StepRecord["events"][number] {
  return { progress: { stage, activity: "investigating" } };
}

/** The size of a text in tokens, estimated. */
function tokensOf({ bytes }: Pick<PendingSummary, "bytes">): number {
  return Math.ceil(bytes / CHARS_PER_TOKEN);
}

/** The summary of a reply: trimmed, Postgres-safe, and cut with a remark beyond the limit. */
export function cutSummary(reply: string, maxTokens: number): string {
  const whole = postgresSafeText(reply.trim()).text;
  const cut = whole.slice(0, safeCut(whole, maxTokens * CHARS_PER_TOKEN));
  if (cut.length === whole.length) return whole;
  return `${cut.trimEnd()}…\n[The summary is cut here: it is longer than ${maxTokens} tokens.]`;
}

/** The message to the model in place of a large result. */
function summaryMessage(summary: string, result: Pick<PendingSummary, "handle" | "bytes" | "lines">): string {
  const tools = RESULT_TOOL_NAMES.map((name) => `${BUILT_IN_SERVER}.${name}`).join(", ");
  const note = [
    `[Summary, by a model, of a result that is too large to be shown: ${result.bytes} bytes (about ${tokensOf(result)} tokens) in ${result.lines} lines.`,
    `The whole text is kept: read on with ${tools}, id "${result.handle}".]`,
  ];
  return [...note, summary].join("\n");
}
