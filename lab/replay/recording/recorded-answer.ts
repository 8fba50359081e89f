import type { RecordedReply } from "#shared/cassette/recorded-calls.ts";
import type { GenerateResponse } from "#shared/generated/llm/v1/llm.ts";

type ReplyContent = NonNullable<GenerateResponse["content"]>;

/** The chunks with which the llm-gateway gives a recorded reply. A reply that named a time to wait for is given as if it had not. */
export function recordedAnswer(reply: RecordedReply): GenerateResponse[] {
  const { outcome, text, thinking, usage } = reply;
  const contents: ReplyContent[] = [
    ...reply.warnings.map((value) => ({ $case: "warning", value }) as const),
    ...(thinking === "" ? [] : [{ $case: "thinking", value: { content: thinking } } as const]),
    ...(text === "" ? [] : [{ $case: "text", value: { content: text } } as const]),
    ...toolCalls(reply),
    ...reply.code_executions.map((value) => ({ $case: "codeExecution", value }) as const),
    ...groundings(reply),
    ...(usage === null ? [] : [{ $case: "usage", value: usageOf(usage) } as const]),
  ];
  const chunks = contents.map((content) => ({ content, isFinal: false }));
  if (outcome.kind === "completed") return [...chunks, { content: undefined, isFinal: true }];
  const error: ReplyContent = {
    $case: "error",
    value: {
      code: outcome.code ?? "gateway_unavailable",
      message: outcome.message ?? "",
      retryable: outcome.retryable ?? outcome.kind !== "failed",
      ...(outcome.last_code === undefined ? {} : { lastCode: outcome.last_code }),
      ...(outcome.keep_text === undefined ? {} : { keepText: outcome.keep_text }),
      ...(outcome.keep_thinking === undefined ? {} : { keepThinking: outcome.keep_thinking }),
    },
  };
  return [...chunks, { content: error, isFinal: true }];
}

/** The calls that were left out are only counted, so copies of one call stand for them. */
function toolCalls({ tool_calls, omitted_tool_calls }: RecordedReply): ReplyContent[] {
  const calls = tool_calls.map(
    ({ id, name, arguments: written }) =>
      ({ $case: "toolCall", value: { callId: id, name, arguments: written } }) as const,
  );
  const [last] = calls.slice(-1);
  if (last === undefined) return calls;
  return [...calls, ...Array.from({ length: omitted_tool_calls }, () => last)];
}

function groundings({ groundings: recorded }: RecordedReply): ReplyContent[] {
  return recorded.map(
    ({ web_search_queries, chunks, supports }) =>
      ({
        $case: "grounding",
        value: {
          webSearchQueries: web_search_queries,
          groundingChunks: chunks,
          groundingSupports: supports.map((support) => ({
            startIndex: support.start_index,
            endIndex: support.end_index,
            text: support.text,
            groundingChunkIndices: support.chunk_indices,
          })),
          searchEntryPointHtml: "",
        },
      }) as const,
  );
}

function usageOf(usage: NonNullable<RecordedReply["usage"]>) {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    thinkingTokens: usage.thinking_tokens,
    totalTokens: usage.total_tokens,
    ...(usage.cached_input_tokens === undefined ? {} : { cachedInputTokens: usage.cached_input_tokens }),
    ...(usage.cache_write_tokens === undefined ? {} : { cacheWriteTokens: usage.cache_write_tokens }),
    ...(usage.unreported_tries === undefined ? {} : { unreportedTries: usage.unreported_tries }),
  };
}
