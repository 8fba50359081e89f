import type { LlmInteractionType } from "#shared/contracts/statuses.ts";
import { storableText } from "#shared/storable-text.ts";
import type { LlmReply } from "./call-llm.ts";
import type { ExecutionState } from "../persist/load-session.ts";
import type { CallFailure } from "./reply-failure.ts";

/** A finished call as its record needs it. */
export interface RecordedCall {
  readonly interactionId: string;
  readonly type: LlmInteractionType;
  readonly model: string;
  /** The newest message of the input; null where the input is no part of the execution's conversation. */
  readonly lastMessageId: string | null;
  /** What is kept of the request beside the conversation. */
  readonly request: object;
  readonly reply: LlmReply;
  readonly durationMs: number;
  readonly failure: CallFailure | null;
}

/** The record of an LLM call, failed ones included. */
export function llmInteractionRow(
  { session_id, stage_id, execution_id }: ExecutionState,
  { interactionId, type, model, lastMessageId, request, reply, durationMs, failure }: RecordedCall,
) {
  const { usage } = reply;
  return {
    interaction_id: interactionId,
    session_id,
    stage_id,
    execution_id,
    interaction_type: type,
    model_name: model,
    last_message_id: lastMessageId,
    llm_request: request,
    llm_response: {
      text_length: Buffer.byteLength(reply.text),
      tool_calls_count: reply.toolCalls.length,
      code_executions_count: reply.codeExecutions.length,
      groundings_count: reply.groundings.length,
    },
    thinking_content: reply.thinking === "" ? null : storableText(reply.thinking).text,
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    thinking_tokens: usage?.thinkingTokens ?? null,
    total_tokens: usage?.totalTokens ?? null,
    duration_ms: durationMs,
    error_message: failure?.message ?? null,
    error_code: failure?.code ?? null,
  };
}
