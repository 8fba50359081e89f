import type { CallFailure, LlmReply } from "./llm-reply.ts";

/**
 * What of a reply no other row has, for cassettes: how it failed, its text where that was not stored as it was, what the provider
 * ran itself, and that no gateway was asked. Null if the rows say all. `stored` is the text that is stored of the reply.
 */
export function replyRemainder(reply: LlmReply, failure: CallFailure | null, stored: string): object | null {
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

/** Without the provider's markup, which is shown nowhere. */
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
