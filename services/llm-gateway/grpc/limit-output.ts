import { GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import { retryable } from "../errors/llm-error.ts";
import type { Content } from "../providers/provider.ts";

/**
 * Passes chunks on until the call's content (text, thinking, tool arguments, code, grounding, provider state) exceeds
 * `maxBytes` of UTF-8 in total, then throws RetryableError `provider_error`: a model that does not stop rarely does
 * so twice.
 */
export async function* limitOutput(
  source: AsyncIterable<Content>,
  maxBytes: number,
): AsyncGenerator<Content> {
  let bytes = 0;
  for await (const content of source) {
    bytes += outputBytes(content);
    if (bytes > maxBytes) {
      throw retryable(
        "provider_error",
        `the model's answer exceeds the limit of ${maxBytes} bytes for one call`,
      );
    }
    yield content;
  }
}

function outputBytes(content: Content): number {
  switch (content.$case) {
    case "text":
    case "thinking":
      return Buffer.byteLength(content.value.content);
    case "toolCall":
      return Buffer.byteLength(content.value.name) + Buffer.byteLength(content.value.arguments);
    case "codeExecution":
      return Buffer.byteLength(content.value.code) + Buffer.byteLength(content.value.result);
    case "grounding":
      return GroundingDelta.encode(content.value).finish().length;
    case "providerState":
      return content.value.data.length;
    case "usage":
      return 0;
    default:
      return content satisfies never;
  }
}
