import type { RequestContent } from "#shared/cassette/canonical-request.ts";
import type { BoundTool, RecordedLlmCall, RecordedMessage } from "#shared/cassette/recorded-calls.ts";

interface RecordedConversation {
  readonly messages: readonly RecordedMessage[];
  readonly bound_tools: readonly BoundTool[];
}

/** The content that a recorded call sent to its model; null if that is not known any more. */
export function recordedRequest(
  { messages, bound_tools: tools }: RecordedConversation,
  { input }: Pick<RecordedLlmCall, "input">,
): RequestContent | null {
  const { through, model } = input;
  if (model === null) return null;
  const bound = input.has_tools ? (namedTools(tools, input.tools) ?? tools) : [];
  if (input.messages !== undefined) return { messages: input.messages, tools: bound, model };
  if (through === null) return null;
  const sent = messages.filter(({ sequence_number }) => sequence_number <= through);
  return { messages: sent, tools: bound, model };
}

/** The tools with these names, in the order of the names; undefined without names. */
export function namedTools<T extends { readonly name: string }>(
  tools: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return names?.flatMap((name) => byName.get(name) ?? []);
}
