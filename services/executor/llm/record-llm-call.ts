import { v5 as uuidFrom } from "uuid";
import type { BudgetCause } from "#shared/contracts/budget.ts";
import type { LlmInteractionType } from "#shared/contracts/statuses.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { usdText } from "#shared/pricing/usd.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { changeAfterFailure, speaksAgainstProvider, usedIterations } from "../controllers/choose-provider.ts";
import type { AgentState, CallLlm } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { newMessages, type AppendedMessage } from "../persist/conversation.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { ofExecution, type NewLlmInteraction } from "../state/step-rows.ts";
import type { RowEnd, StreamKind, TimelineWriter } from "../persist/timeline-writer.ts";
import type { ExecutionState } from "../state/session-state.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { reactAnswer, storedAnswer } from "../action-claim.ts";
import { forcedConclusion } from "./forced-conclusion.ts";
import { replyFailure, replyTokens, type CallFailure, type LlmReply } from "./llm-reply.ts";
import { nativeToolRows } from "./native-tool-rows.ts";
import { priceReply, type Pricing } from "./price-reply.ts";
import { ownTools } from "./generate-request.ts";
import { partialContent } from "./partial-content.ts";
import { replyRemainder } from "./reply-remainder.ts";
import { excessCalls, replyMessages, runsCalls } from "./reply-messages.ts";
import { warningRows } from "./warning-rows.ts";

/** How many empty replies in a row are asked for again; the next one is a failed call. */
const EMPTY_REPLIES_ALLOWED = 2;

/** The step that asked a model, and the agent whose step it is. */
interface AskedAgent {
  readonly step: CallLlm;
  readonly agent: AgentState["agent"];
  /** The iterations before this call. */
  readonly used: number;
  /** The budget for which it is asked to conclude; undefined for none. */
  readonly budget: BudgetCause | undefined;
}

/** A finished call and the rows it was streamed into. */
interface FinishedCall {
  readonly reply: LlmReply;
  /** As in `MaskedReply`; absent for none. */
  readonly written?: ReadonlyMap<number, string>;
  /** From 1. */
  readonly iteration: number;
  readonly timeline: TimelineWriter;
  readonly durationMs: number;
}

/**
 * The step that records an LLM call's outcome: its timeline rows, the assistant message, the interaction, the token sums and
 * the iteration state. Rows of an earlier attempt that the last one did not fill end as `cancelled`. An empty reply that is
 * asked for again leaves nothing but its interaction.
 */
export function recordLlmCall(run: ExecutionRun, step: CallLlm, call: FinishedCall): StepRecord {
  const { execution, state } = run;
  const { reply, timeline, iteration, durationMs } = call;
  const failure = replyFailure(reply, step);
  const interactionId = uuidFrom(`llm:${iteration}`, execution.execution_id);
  const warnings = warningRows(reply, state.iteration.shown_warnings);
  for (const row of warnings.rows) timeline.add({ ...row, interactionId });
  const isAskedAgain = isEmptyReply(failure) && (state.iteration.empty_replies ?? 0) < EMPTY_REPLIES_ALLOWED;
  const { budget_stop: budget } = state.iteration;
  const asked = { step, agent: state.agent, used: usedIterations(state.iteration), budget };
  completeRows(asked, call, { interactionId, failure: isAskedAgain ? null : failure });
  const { rows, events } = timeline.record();
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: step.interaction,
    provider: state.agent.llm_provider,
    pricing: run.session,
    lastMessageId: state.messages.at(-1)?.message_id ?? null,
    request: {
      messages_count: state.messages.length,
      iteration,
      tools_count: step.tools.length,
      provider: state.agent.llm_provider.name,
      ...ownTools(step, state),
    },
    reply,
    storedText: failure === null ? (replyMessages(step, reply)[0]?.content ?? "") : "",
    durationMs,
    failure,
  });
  const tokens = replyTokens(reply);
  const iteration_state = {
    ...(isAskedAgain ? stateAfterEmptyReply(state, call) : nextIterationState(state, call, failure)),
    ...(warnings.shown.length === 0 ? {} : { shown_warnings: [...warnings.shown] }),
  };
  const after = { agent: state.agent, iteration: iteration_state };
  // Another provider is asked what the failed one was asked.
  const isAskedOfAnother = changeAfterFailure(after) !== null;
  const messages =
    failure === null
      ? replyMessages(step, reply)
      : isAskedAgain || isAskedOfAnother
        ? []
        : failureMessage(step, failure);
  return {
    rows: {
      ...rows,
      ...(warnings.isDegraded ? { session: { degraded: true } } : {}),
      llmInteractions: [interaction],
      ...(messages.length === 0 ? {} : { messages: newMessages(run, messages) }),
      executionChanges: [{ execution_id: execution.execution_id, iteration_state, tokens }],
    },
    events,
    tokens,
  };
}

/** The user message after a failed call; none if the controller asks for none. */
function failureMessage({ afterFailure }: CallLlm, failure: CallFailure): AppendedMessage[] {
  return afterFailure === null ? [] : [{ role: "user", content: afterFailure(failure) }];
}

function completeRows(
  { step, agent, used, budget }: AskedAgent,
  { reply, timeline }: FinishedCall,
  { interactionId, failure }: { interactionId: string; failure: CallFailure | null },
): void {
  const contents = reply.outcome.kind === "completed" ? replyContents({ step, agent }, reply) : undefined;
  const missing = new Map(contents);
  const answerMetadata =
    step.interaction === "forced_conclusion" ? forcedConclusion(agent, used, budget) : null;
  for (const row of timeline.openRows()) {
    const end = rowEnd(
      row.text,
      contents === undefined ? undefined : (contents.get(row.kind) ?? null),
      (text) => partialContent({ kind: row.kind, text }, reply, step.style === "react"),
    );
    const metadata = row.kind === "answer" && end.status === "completed" ? answerMetadata : null;
    timeline.complete(row, { ...end, interactionId, ...(metadata === null ? {} : { metadata }) });
    missing.delete(row.kind);
  }
  // ReAct agents reason in text; native tool use of the provider is only in the interaction's record.
  for (const row of step.style === "react" ? [] : nativeToolRows(reply)) {
    timeline.addBeforeAnswer({ ...row, interactionId });
  }
  // Rows of the complete text that were not streamed.
  for (const [kind, content] of missing) {
    const metadata = kind === "answer" && answerMetadata !== null ? { metadata: answerMetadata } : {};
    timeline.addStream(kind, { content, interactionId, ...metadata });
  }
  if (failure !== null) {
    const content = `LLM error: ${failure.message} (code: ${failure.code}, retryable: ${failure.retryable})`;
    timeline.add({ type: "error", content, metadata: null, interactionId });
  }
  const excess = failure === null && runsCalls(step) ? excessCalls(reply) : null;
  if (excess !== null) {
    timeline.add({ type: "error", content: excess, metadata: null, interactionId });
  }
}

/**
 * How an open row ends. `streamed` is the text this call wrote into it, null if none; `content` the text the complete
 * reply has for it, null if none, undefined if the reply is incomplete; `partial` returns what is then kept of the text.
 */
function rowEnd(
  streamed: string | null,
  content: string | null | undefined,
  partial: (streamed: string) => string,
): Pick<RowEnd, "status" | "content"> {
  if (content !== undefined && content !== null) return { status: "completed", content };
  if (streamed === null) return { status: "cancelled", content: "" };
  // The complete text has nothing for a row that was streamed.
  if (content === null) return { status: "failed", content: streamed };
  return { status: "failed", content: partial(streamed) };
}

function isEmptyReply(failure: CallFailure | null): boolean {
  return failure?.code === "empty_response";
}

/** The reply used up no iteration. */
function stateAfterEmptyReply(
  { iteration: before }: AgentState,
  { iteration }: FinishedCall,
): IterationState {
  const { unfinished_step: _step, empty_replies = 0, uncounted = 0, ...rest } = before;
  return {
    ...rest,
    iteration,
    last_failed: false,
    empty_replies: empty_replies + 1,
    uncounted: uncounted + 1,
  };
}

/** The limits of a sub-agent, of an agent that has started some, and of a budget hold for all of its iterations. */
function limits({
  deadline_at,
  budget_until,
  budget_stop,
}: IterationState): Pick<IterationState, "deadline_at" | "budget_until" | "budget_stop"> {
  return {
    ...(budget_stop === undefined ? {} : { budget_stop }),
    ...(deadline_at === undefined ? {} : { deadline_at }),
    ...(budget_until === undefined ? {} : { budget_until }),
  };
}

function nextIterationState(
  { iteration: before }: AgentState,
  { iteration, written = new Map() }: FinishedCall,
  failure: CallFailure | null,
): IterationState {
  const { provider, uncounted, provider_failures = 0, empty_replies, summarizers } = before;
  const isHeldAgainst = failure !== null && speaksAgainstProvider(failure.code);
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(uncounted === undefined ? {} : { uncounted }),
    ...(written.size === 0 ? {} : { masked_arguments: [...written.keys()] }),
    ...(summarizers === undefined ? {} : { summarizers }),
    ...limits(before),
    ...(isHeldAgainst ? { provider_failures: provider_failures + 1 } : {}),
    ...(isEmptyReply(failure) && empty_replies !== undefined ? { empty_replies } : {}),
    iteration,
    phase: before.phase,
    last_failed: failure !== null,
    consecutive_failures: failure === null ? 0 : before.consecutive_failures + 1,
    last_error: failure?.message ?? null,
    last_error_code: failure?.code ?? null,
    last_error_retryable: failure?.retryable ?? true,
    consecutive_timeouts: failure?.code === "timeout" ? before.consecutive_timeouts + 1 : 0,
  };
}

/**
 * The content of each timeline row by the complete reply, in the rows' order. The complete text is authoritative: it
 * replaces what was streamed, and a streamed row without content here was streamed in error.
 */
function replyContents(
  { step, agent }: Pick<AskedAgent, "step" | "agent">,
  reply: LlmReply,
): ReadonlyMap<StreamKind, string> {
  const contents = new Map<StreamKind, string>();
  const put = (kind: StreamKind, content: string) => {
    if (content !== "") contents.set(kind, postgresSafeText(content).text);
  };
  const putAnswer = (text: string) => put("answer", storedAnswer(agent, text));
  put("thinking", reply.thinking);
  switch (step.style) {
    case "final-answer":
      putAnswer(reply.text === "" && step.thinkingMayAnswer ? reply.thinking : reply.text);
      return contents;
    case "native":
      // Without tool calls it is the answer.
      put("response", reply.toolCalls.length === 0 ? storedAnswer(agent, reply.text) : reply.text);
      return contents;
    case "react": {
      put("thought", parseReact(reply.text).thought);
      const answer = reactAnswer(reply.text, step.interaction === "forced_conclusion") ?? "";
      if (step.isInterim === true) put("response", answer);
      else putAnswer(answer);
      return contents;
    }
    default:
      return step.style satisfies never;
  }
}

/** The fields of an LLM interaction's row. */
interface RecordedLlmCall {
  readonly interactionId: string;
  readonly type: LlmInteractionType;
  readonly provider: Pick<ResolvedProvider, "type" | "model">;
  readonly pricing: Pricing;
  /** The newest message of the input; null if the input is not part of the execution's conversation. */
  readonly lastMessageId: string | null;
  /** The part of the request that is stored in addition to the conversation. */
  readonly request: object;
  readonly reply: LlmReply;
  /** The text that is stored of the reply; empty if none is. */
  readonly storedText: string;
  readonly durationMs: number;
  readonly failure: CallFailure | null;
}

function postgresSafe({ code, message }: LlmReply["warnings"][number]): LlmReply["warnings"][number] {
  return { code: postgresSafeText(code).text, message: postgresSafeText(message).text };
}

/** The row of an LLM call, failed ones included. */
export function llmInteractionRow(execution: ExecutionState, call: RecordedLlmCall): NewLlmInteraction {
  const { interactionId, type, provider, lastMessageId, request, reply, durationMs, failure } = call;
  const remainder = replyRemainder(reply, failure, call.storedText);
  return {
    interaction_id: interactionId,
    ...ofExecution(execution),
    interaction_type: type,
    provider_type: provider.type,
    model_name: provider.model,
    last_message_id: lastMessageId,
    llm_request: request,
    llm_response: {
      text_length: Buffer.byteLength(reply.text),
      tool_calls_count: reply.toolCalls.length,
      code_executions_count: reply.codeExecutions.length,
      groundings_count: reply.groundings.length,
      ...(reply.warnings.length === 0 ? {} : { warnings: reply.warnings.map(postgresSafe) }),
      ...(remainder === null ? {} : { remainder }),
    },
    thinking_content: reply.thinking === "" ? null : postgresSafeText(reply.thinking).text,
    ...chargedColumns(call),
    duration_ms: durationMs,
    error_message: failure?.message ?? null,
    error_code: failure?.code ?? null,
  };
}

/** The tokens that the provider charges for, and their price. */
function chargedColumns({ pricing, provider, reply }: RecordedLlmCall) {
  const { usage } = reply;
  const price = priceReply(pricing, provider, reply);
  return {
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    thinking_tokens: usage?.thinkingTokens ?? null,
    total_tokens: usage?.totalTokens ?? null,
    cached_input_tokens: usage?.cachedInputTokens ?? null,
    cache_write_tokens: usage?.cacheWriteTokens ?? null,
    estimated_cost_usd: price === null ? null : usdText(price.usd),
    price_source: price?.source ?? null,
  };
}
