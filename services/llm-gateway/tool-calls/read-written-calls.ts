import { randomUUID } from "node:crypto";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { toolNameDecoder } from "../conversation/tool-names.ts";
import { retryable } from "../errors/llm-error.ts";
import type { Content } from "../providers/provider.ts";
import { mayBeWrittenCall, writtenText } from "./written-calls.ts";

/** A longer text is no call; in code units. */
const MAX_LENGTH = 256 * 1024;

/**
 * Passes the contents of an answer on; calls that the model wrote as text become calls. Text that begins like one is held back to the
 * end, or until it is none. Throws RetryableError `provider_error` for a written call that cannot be read, so that no part of a call
 * counts as an answer. A conversation without tools passes unchanged.
 */
export async function* readWrittenCalls(
  source: AsyncIterable<Content>,
  { tools, messages }: Pick<GenerateRequest, "tools" | "messages">,
): AsyncGenerator<Content> {
  if (tools.length === 0 && !messages.some(({ toolCalls }) => toolCalls.length > 0)) {
    yield* source;
    return;
  }
  const names = new Set(tools.map(({ name }) => name));
  const decode = toolNameDecoder([...names]);
  const held: Content[] = [];
  let text = "";
  let isHolding = true;
  let hasCalls = false;
  try {
    for await (const content of source) {
      hasCalls ||= content.$case === "toolCall";
      if (content.$case === "text" && text.length <= MAX_LENGTH) text += content.value.content;
      isHolding &&= !hasCalls && text.length <= MAX_LENGTH && mayBeWrittenCall(text);
      if (isHolding && content.$case !== "thinking") {
        held.push(content);
        continue;
      }
      yield* held.splice(0);
      yield content;
    }
  } catch (error) {
    yield* held;
    throw error;
  }
  const written =
    hasCalls || text.trim() === "" || text.length > MAX_LENGTH
      ? undefined
      : writtenText(text, (name) => [decode(name)].find((decoded) => names.has(decoded)));
  if (written === undefined) {
    yield* held;
    return;
  }
  if ("problem" in written) throw retryable("provider_error", written.problem);
  yield* held.filter(({ $case }) => $case !== "text");
  for (const { name, args } of written.calls) {
    yield { $case: "toolCall", value: { callId: `call_${randomUUID()}`, name, arguments: args } };
  }
}
