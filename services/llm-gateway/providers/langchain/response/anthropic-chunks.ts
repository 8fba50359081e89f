import { retryable } from "../../../errors/llm-error.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import { ResponseError } from "../../response-error.ts";
import type { AnswerAside } from "../answer-aside.ts";
import { NO_REASON } from "./no-reason.ts";

/** The types of blocks whose content is read, and of their deltas. */
const BLOCK_OF = new Map<unknown, string>([
  ["text", "text"],
  ["text_delta", "text"],
  ["thinking", "thinking"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "thinking"],
  ["redacted_thinking", "redacted_thinking"],
]);

/**
 * The events of one answer of Anthropic's API in the form of LangChain's chunks, which the reader of answers understands; the values
 * of their fields are unchecked. Other servers with this API may omit the names of events, the usage and the finish reason, or send a
 * tool's whole input with the start of its block. Throws ResponseError for an error inside the answer, RetryableError
 * `provider_error` for an event that is no JSON and for a second answer that begins after some content.
 */
export async function* anthropicChunks(
  events: AsyncIterable<SseEvent>,
  aside: Pick<AnswerAside, "answeredBy">,
): AsyncGenerator {
  const inputs = new Map<unknown, unknown>();
  let hasContent = false;
  let hasReason = false;
  for await (const event of events) {
    const value = parseEvent(event);
    const { index } = value;
    switch (value["type"]) {
      case "message_start":
        // A proxy may go on with another model's answer after the first one broke off.
        if (hasContent) throw retryable("provider_error", "a second answer began inside the first");
        aside.answeredBy(fields(value["message"])["model"]);
        yield { content: "", usage_metadata: usage(fields(value["message"])) };
        break;
      case "content_block_start": {
        hasContent = true;
        const { type, id, name, input, ...content } = fields(value["content_block"]);
        if (type === "tool_use") {
          inputs.set(index, input);
          yield callPiece({ index, id, name });
        } else if (BLOCK_OF.has(type)) {
          yield { content: [{ ...content, type, index }] };
        }
        break;
      }
      case "content_block_delta": {
        const { type, partial_json: args, ...content } = fields(value["delta"]);
        const block = BLOCK_OF.get(type);
        if (block !== undefined) {
          yield { content: [{ ...content, type: block, index }] };
        } else if (type === "input_json_delta") {
          inputs.delete(index);
          yield callPiece({ index, args });
        }
        break;
      }
      case "content_block_stop": {
        const input = fields(inputs.get(index));
        if (Object.keys(input).length > 0) yield callPiece({ index, args: JSON.stringify(input) });
        inputs.delete(index);
        break;
      }
      case "message_delta": {
        const delta = fields(value["delta"]);
        hasReason ||= typeof delta["stop_reason"] === "string";
        yield { content: "", additional_kwargs: delta, usage_metadata: usage(value) };
        break;
      }
      case "message_stop":
        if (!hasReason) yield { content: "", additional_kwargs: { stop_reason: NO_REASON } };
        break;
      default:
    }
  }
}

/** The JSON of an event; empty for other events than the API's own, such as an end mark of another API. */
function parseEvent({ name, data }: SseEvent): JsonObject {
  const value = parseJsonObject(data);
  const type = value?.["type"];
  if (name === "error" || type === "error" || (type === undefined && isObject(value?.["error"]))) {
    throw new ResponseError(undefined, data);
  }
  if (value === undefined && /^(?:message|content_block)_/u.test(name ?? "")) {
    throw retryable("provider_error", "the provider's answer cannot be read: one of its events is no JSON");
  }
  return value ?? {};
}

function callPiece(piece: JsonObject): JsonObject {
  return { content: "", tool_call_chunks: [piece] };
}

/** Anthropic does not count cached input as input. */
function usage({ usage: reported }: JsonObject) {
  const counts = fields(reported);
  const read = number(counts["cache_read_input_tokens"]);
  const written = number(counts["cache_creation_input_tokens"]);
  return {
    input_tokens: number(counts["input_tokens"]) + read + written,
    output_tokens: number(counts["output_tokens"]),
    input_token_details: { cache_read: read, cache_creation: written },
    output_token_details: { reasoning: number(fields(counts["output_tokens_details"])["thinking_tokens"]) },
  };
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function fields(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
