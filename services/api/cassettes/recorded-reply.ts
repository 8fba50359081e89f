import type { RecordedLlmOutcome, RecordedReply } from "#shared/cassette/recorded-calls.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { Remainder, StoredResponse } from "./stored-call.ts";

interface StoredReply {
  readonly call: LlmInteraction;
  readonly response: StoredResponse;
  /** The message that the reply became; undefined for none. */
  readonly answer: Pick<Message, "content" | "tool_calls"> | undefined;
  /** The summary that the reply became; undefined for none. */
  readonly summary: string | undefined;
}

/** The reply of a call as the gateway gave it. */
export function recordedReply({ call, response, answer, summary }: StoredReply): RecordedReply {
  const { remainder = {}, warnings = [], tool_calls_count: asked = 0 } = response;
  const tool_calls = answer?.tool_calls ?? [];
  return {
    outcome: outcomeOf(call, remainder),
    text: remainder.text ?? answer?.content ?? summary ?? "",
    thinking: call.thinking_content ?? "",
    tool_calls: tool_calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    omitted_tool_calls: answer === undefined ? 0 : Math.max(0, asked - tool_calls.length),
    code_executions: remainder.code_executions ?? [],
    groundings: remainder.groundings ?? [],
    usage: usageOf(call, remainder),
    warnings,
  };
}

function outcomeOf(
  { error_code: code, error_message }: LlmInteraction,
  { outcome }: Remainder,
): RecordedLlmOutcome {
  if (outcome === undefined) return { kind: "completed" };
  const message = error_message ?? "";
  if (outcome.kind !== "failed") return { kind: outcome.kind, message };
  return { ...outcome, code: code ?? "provider_error", message, retryable: outcome.retryable ?? true };
}

function usageOf(
  {
    input_tokens,
    output_tokens,
    thinking_tokens,
    total_tokens,
    cached_input_tokens,
    cache_write_tokens,
  }: LlmInteraction,
  { unreported_tries }: Remainder,
): RecordedReply["usage"] {
  if (input_tokens === null) return null;
  return {
    input_tokens,
    output_tokens: output_tokens ?? 0,
    thinking_tokens: thinking_tokens ?? 0,
    total_tokens: total_tokens ?? 0,
    ...(cached_input_tokens === null ? {} : { cached_input_tokens }),
    ...(cache_write_tokens === null ? {} : { cache_write_tokens }),
    ...(unreported_tries === undefined ? {} : { unreported_tries }),
  };
}
