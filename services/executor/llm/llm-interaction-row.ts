import type { LlmInteractionType } from "#shared/contracts/statuses.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { usdText } from "#shared/pricing/usd.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { ofExecution, type NewLlmInteraction } from "../state/step-rows.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { CallFailure, LlmReply } from "./llm-reply.ts";
import { priceCall, type Price } from "#shared/pricing/price-call.ts";
import type { SessionLlm } from "../core/session-parts.ts";
import type { DatabaseClock } from "../core/wait.ts";

/** The fields of an LLM interaction's row. */
interface LlmCallFields {
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
export function llmInteractionRow(execution: ExecutionState, call: LlmCallFields): NewLlmInteraction {
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
      ...(reply.answeredBy === null ? {} : { answered_by: reply.answeredBy }),
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
function chargedColumns({ pricing, provider, reply }: LlmCallFields) {
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

/**
 * The part of a reply that no other row has, for cassettes: how it failed, its text where that was not stored as it
 * was, what the provider ran itself, and that no gateway was asked. Null if the rows say all. `stored` is the text that
 * is stored of the reply.
 */
function replyRemainder(reply: LlmReply, failure: CallFailure | null, stored: string): object | null {
  const { text, codeExecutions, groundings, usage, isUnsent } = reply;
  const remainder = {
    ...outcomeOf(reply, failure),
    ...(text === stored ? {} : { text }),
    ...(codeExecutions.length === 0 ? {} : { code_executions: codeExecutions }),
    ...(groundings.length === 0 ? {} : { groundings: groundings.map(shortGrounding) }),
    ...(usage?.unreportedTries === undefined ? {} : { unreported_tries: usage.unreportedTries }),
    ...(isUnsent === undefined ? {} : { was_sent: false }),
  };
  return Object.keys(remainder).length === 0 ? null : remainder;
}

/** Code and message are columns. An empty reply was no failure of its call. */
function outcomeOf({ outcome }: LlmReply, failure: CallFailure | null): object {
  if (failure === null || outcome.kind === "completed") return {};
  if (outcome.kind !== "failed") return { outcome: { kind: outcome.kind } };
  const { kind, retryable, retryAfterMs, lastCode, keepText, keepThinking } = outcome;
  const more = {
    retry_after_ms: retryAfterMs,
    last_code: lastCode,
    keep_text: keepText,
    keep_thinking: keepThinking,
  };
  const known = Object.entries(more).filter(([, value]) => value !== undefined);
  return { outcome: { kind, retryable, ...Object.fromEntries(known) } };
}

/** A grounding without the provider's markup, which is shown nowhere. */
function shortGrounding({
  webSearchQueries,
  groundingChunks,
  groundingSupports,
}: LlmReply["groundings"][number]): object {
  return {
    web_search_queries: webSearchQueries,
    chunks: groundingChunks,
    supports: groundingSupports.map(({ startIndex, endIndex, text, groundingChunkIndices }) => ({
      start_index: startIndex,
      end_index: endIndex,
      text,
      chunk_indices: groundingChunkIndices,
    })),
  };
}

/** The prices of calls, by the session's settings and clock. */
export interface Pricing {
  readonly llm: Pick<SessionLlm, "costEstimation" | "tries">;
  readonly clock: DatabaseClock;
}

/**
 * The cost of a reply, by the prices of the time at which it is recorded. Null if the model has no price, or the
 * provider said nothing about tokens. A failed call costs its tokens.
 */
export function priceReply(
  pricing: Pricing,
  provider: Pick<ResolvedProvider, "type" | "model">,
  { usage }: Pick<LlmReply, "usage">,
): Price | null {
  if (usage === null || usage.totalTokens === 0) return null;
  const tokens = {
    input: usage.inputTokens,
    cachedInput: usage.cachedInputTokens ?? 0,
    cacheWrite: usage.cacheWriteTokens ?? 0,
    output: usage.outputTokens,
    thinking: usage.thinkingTokens,
  };
  return priceCall(pricing.llm.costEstimation, provider, tokens, pricing.clock.databaseNow());
}
