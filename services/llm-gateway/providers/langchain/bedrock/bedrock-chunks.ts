import type { ConverseStreamOutput, TokenUsage } from "@aws-sdk/client-bedrock-runtime";
import { retryable } from "../../../errors/llm-error.ts";
import type { AnswerAside } from "../answer-aside.ts";
import type { LangchainChunk } from "../response/langchain-chunk.ts";

/**
 * The events of one answer in the form of LangChain's chunks, which the reader of answers understands. Throws RetryableError
 * `partial_stream_error` if the events end without `messageStop`: an answer that was cut can look whole without it.
 */
export async function* bedrockChunks(
  events: AsyncIterable<ConverseStreamOutput>,
  aside: Pick<AnswerAside, "answeredBy">,
): AsyncGenerator<LangchainChunk> {
  let isComplete = false;
  for await (const event of events) {
    // Only a prompt router says which model it has chosen.
    aside.answeredBy(event.metadata?.trace?.promptRouter?.invokedModelId);
    if (event.messageStop !== undefined) {
      isComplete = true;
      yield { content: "", additional_kwargs: { stop_reason: stopReason(event.messageStop.stopReason) } };
    }
    const chunk = toChunk(event);
    if (chunk !== undefined) yield chunk;
  }
  if (!isComplete) {
    throw retryable("partial_stream_error", "the answer broke off: it ended without messageStop");
  }
}

function toChunk({ contentBlockStart, contentBlockDelta, metadata }: ConverseStreamOutput) {
  const tool = contentBlockStart?.start?.toolUse;
  if (tool !== undefined) {
    const { toolUseId: id = "", name = "" } = tool;
    return {
      content: "",
      tool_call_chunks: [{ index: contentBlockStart?.contentBlockIndex ?? 0, id, name }],
    };
  }
  if (contentBlockDelta !== undefined) return deltaChunk(contentBlockDelta);
  return metadata?.usage === undefined ? undefined : { content: "", usage_metadata: usage(metadata.usage) };
}

function deltaChunk({
  contentBlockIndex: index = 0,
  delta,
}: NonNullable<ConverseStreamOutput["contentBlockDelta"]>): LangchainChunk | undefined {
  if (delta?.text !== undefined) return { content: [{ type: "text", index, text: delta.text }] };
  if (delta?.toolUse !== undefined) {
    return { content: "", tool_call_chunks: [{ index, args: delta.toolUse.input ?? "" }] };
  }
  const { text, signature, redactedContent } = delta?.reasoningContent ?? {};
  if (redactedContent !== undefined) {
    const data = Buffer.from(redactedContent).toString("base64");
    return { content: [{ type: "redacted_thinking", index, data }] };
  }
  if (text === undefined && signature === undefined) return undefined;
  return { content: [{ type: "thinking", index, thinking: text ?? "", signature: signature ?? "" }] };
}

/** In the words of the other providers, where Bedrock has its own. */
function stopReason(reason: string | undefined): string {
  if (reason === "guardrail_intervened" || reason === "content_filtered") return "content_filter";
  return reason ?? "unknown";
}

/** Bedrock does not count cached input as input. */
function usage({ inputTokens = 0, outputTokens = 0, totalTokens = 0, ...cached }: TokenUsage) {
  const [read, written] = [cached.cacheReadInputTokens ?? 0, cached.cacheWriteInputTokens ?? 0];
  return {
    input_tokens: inputTokens + read + written,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    input_token_details: { cache_read: read, cache_creation: written },
  };
}
