import type { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import type { SseHandler, SseReply } from "../../../test/support/sse-server.ts";
import { modelRequest, type TestConfig } from "./open-gateway.ts";

/** A request for a provider at `baseUrl`; `request` and `config` override any part of it. */
export function chatRequest(
  provider: string,
  baseUrl: string,
  request: Partial<GenerateRequest> = {},
  config: TestConfig = {},
): GenerateRequest {
  const model = provider === "anthropic" ? "claude-sonnet-4-5" : "gpt-4o";
  return modelRequest({ provider, backend: "langchain", model, baseUrl, ...config }, request);
}

export const PODS_TOOL = {
  name: "kubernetes.pods_list",
  description: "Lists pods",
  parametersSchema: '{"type":"object","properties":{"namespace":{"type":"string"}}}',
};

/** The values of all contents of one kind, in order, without the counts that a provider did not report. */
export function contentsOf(chunks: readonly GenerateResponse[], kind: string): unknown[] {
  return chunks.flatMap(({ content }) => {
    if (content?.$case !== kind) return [];
    if (content.$case !== "usage") return [content.value];
    return [Object.fromEntries(Object.entries(content.value).filter(([, count]) => count !== undefined))];
  });
}

/** A usage whose total is the sum. */
export function usageOf(
  inputTokens: number,
  outputTokens: number,
  thinkingTokens: number,
  cached: object = {},
) {
  const totalTokens = inputTokens + outputTokens + thinkingTokens;
  return { inputTokens, outputTokens, thinkingTokens, totalTokens, ...cached };
}

/** The provider state of an answer; empty if there was none. */
export function stateOf(chunks: readonly GenerateResponse[]): Buffer {
  for (const { content } of chunks) {
    if (content?.$case === "providerState") return Buffer.from(content.value.data);
  }
  return Buffer.alloc(0);
}

/** One chunk of a chat completion as OpenAI sends it. */
export function completion(delta: object, finishReason: string | null = null, rest: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "gpt-4o-2024-08-06",
    system_fingerprint: "fp_1",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
    ...rest,
  };
}

/** A complete chat completion: role, these deltas, finish reason, usage in a separate chunk, [DONE]. */
export function completes(deltas: readonly object[], finishReason = "stop"): SseHandler {
  return (reply) => {
    reply.data(completion({ role: "assistant", content: "", refusal: null }));
    for (const delta of deltas) reply.data(completion(delta));
    reply.data(completion({}, finishReason));
    reply.data(completion({}, null, { choices: [], usage: OPENAI_USAGE }));
    reply.raw("data: [DONE]\n\n");
    reply.end();
  };
}

export const OPENAI_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 0 },
};

/** The start of an Anthropic answer. */
export function messageStart(reply: SseReply, usage: object = { input_tokens: 12, output_tokens: 1 }): void {
  const opened = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { cache_creation_input_tokens: 30, cache_read_input_tokens: 8, ...usage },
  };
  reply.event(named("message_start", { message: opened }));
  reply.event({ type: "ping" });
}

/** One complete block of an Anthropic answer. */
export function block(reply: SseReply, index: number, start: object, deltas: readonly object[]): void {
  reply.event(named("content_block_start", { index, content_block: start }));
  for (const delta of deltas) reply.event(named("content_block_delta", { index, delta }));
  reply.event(named("content_block_stop", { index }));
}

/** The end of an Anthropic answer. */
export function messageStop(
  reply: SseReply,
  stopReason: string,
  usage: object = { output_tokens: 25 },
): void {
  reply.event(named("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage }));
  reply.event({ type: "message_stop" });
  reply.end();
}

/** A thinking block with its signature. */
export function thinks(reply: SseReply, index: number, text: string, signature: string): void {
  block(reply, index, { type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking: text },
    { type: "signature_delta", signature },
  ]);
}

/** A text block. */
export function says(reply: SseReply, index: number, text: string): void {
  block(reply, index, { type: "text", text: "" }, [{ type: "text_delta", text }]);
}

/** A tool_use block whose arguments come in two pieces. */
export function callsTool(reply: SseReply, index: number, id: string, name: string, json: string): void {
  block(reply, index, { type: "tool_use", id, name, input: {} }, [
    { type: "input_json_delta", partial_json: "" },
    { type: "input_json_delta", partial_json: json.slice(0, 5) },
    { type: "input_json_delta", partial_json: json.slice(5) },
  ]);
}

/** An event of this type with further fields. */
export function named(type: string, fields: object): { type: string } {
  return { type, ...fields };
}

/** Text of this length that does not repeat itself. */
export function prose(length: number): string {
  return Array.from({ length }, (_, n) => `${n} `)
    .join("")
    .slice(0, length);
}
