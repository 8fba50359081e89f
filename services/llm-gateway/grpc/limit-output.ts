import { GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import type { RetryableError } from "#shared/errors.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { retryable } from "../errors/llm-error.ts";
import type { Content } from "../providers/provider.ts";
import { LoopDetector, type Loop } from "./detect-loop.ts";

/** The length of the repeated text in an error, in code units. */
const MAX_SHOWN = 80;

/**
 * Passes chunks on until the call's content (text, thinking, tool arguments, code, grounding, provider state) exceeds
 * `maxBytes` of UTF-8 in total, then throws RetryableError `provider_error`: a model that does not stop rarely does
 * so twice. Throws `output_loop` once its text or thinking only repeats itself, if `detectsLoops`.
 */
export async function* limitOutput(
  source: AsyncIterable<Content>,
  { maxBytes, detectsLoops }: { readonly maxBytes: number; readonly detectsLoops: boolean },
): AsyncGenerator<Content> {
  let bytes = 0;
  const detectors = { text: new LoopDetector(), thinking: new LoopDetector() };
  for await (const content of source) {
    bytes += outputBytes(content);
    if (bytes > maxBytes) {
      throw retryable(
        "provider_error",
        `the model's answer exceeds the limit of ${maxBytes} bytes for one call`,
      );
    }
    yield content;
    if (!detectsLoops || (content.$case !== "text" && content.$case !== "thinking")) continue;
    const loop = detectors[content.$case].add(content.value.content);
    if (loop !== undefined) throw loopError(content.$case, loop);
  }
}

function loopError(kind: "text" | "thinking", { unit, times, keep }: Loop): RetryableError {
  const shown = unit.slice(0, safeCut(unit, MAX_SHOWN)).toWellFormed();
  const rest = shown.length < unit.length ? "…" : "";
  return retryable(
    "output_loop",
    `the model's ${kind === "text" ? "answer" : "thinking"} repeats itself and was ended: ${JSON.stringify(shown)}${rest} ${times} times in a row`,
    { keep: { [kind]: keep } },
  );
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
