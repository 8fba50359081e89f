import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import { NO_TOKENS, type TokenUsage } from "#shared/database/append-events.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AgentExecutionEntity, type IterationState } from "#shared/database/entities/agent-execution.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import { storableText } from "#shared/storable-text.ts";
import type { ExecutionRun } from "../agent/run-execution.ts";
import type { AgentStep } from "../agent/steps/agent-step.ts";
import type { LlmReply } from "../call-llm.ts";
import { commitStep } from "./commit-step.ts";
import { nativeToolRows } from "./native-tool-rows.ts";
import type { TimelineWriter } from "./timeline-writer.ts";

/** A finished call and where it was streamed. */
export interface FinishedCall {
  readonly reply: LlmReply;
  /** From 1. */
  readonly iteration: number;
  readonly timeline: TimelineWriter;
  readonly durationMs: number;
}

interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/**
 * Commits an LLM call's outcome in one transaction: its timeline rows, the assistant message, the interaction, the
 * token sums and the iteration state. Rows of an earlier attempt that this one did not fill end as `cancelled`.
 */
export async function recordLlmCall(
  run: ExecutionRun,
  step: Extract<AgentStep, { kind: "call-llm" }>,
  call: FinishedCall,
): Promise<void> {
  const { session, execution } = run;
  const { reply, timeline, iteration } = call;
  const failure = failureOf(reply);
  const interactionId = uuidFrom(`llm:${iteration}`, execution.execution_id);
  await timeline.flush();
  await commitStep(session, async (manager) => {
    await manager.insert(LlmInteractionEntity, interactionRow(run, step, call, { interactionId, failure }));
    const events = await completeRows(manager, call, { interactionId, failure });
    if (failure === null) await storeReply(manager, run, reply);
    const tokens = tokensOf(reply);
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      {
        iteration_state: nextIterationState(run.state.iteration, iteration, failure),
        input_tokens: () => `input_tokens + ${tokens.input}`,
        output_tokens: () => `output_tokens + ${tokens.output}`,
        thinking_tokens: () => `thinking_tokens + ${tokens.thinking}`,
        total_tokens: () => `total_tokens + ${tokens.total}`,
      },
    );
    return { events, tokens };
  });
  timeline.close();
}

/** A reply without text cannot go on as a conversation: it counts as a failed call. */
function failureOf({ outcome, text, toolCalls }: LlmReply): CallFailure | null {
  switch (outcome.kind) {
    case "failed":
      return {
        ...outcome,
        code: storableText(outcome.code).text,
        message: storableText(outcome.message).text,
      };
    case "interrupted":
      return { code: "gateway_unavailable", message: storableText(outcome.message).text, retryable: true };
    case "completed":
      if (text !== "" || toolCalls.length > 0) return null;
      return { code: "empty_response", message: "the model returned no text", retryable: true };
    default:
      return outcome satisfies never;
  }
}

async function completeRows(
  manager: EntityManager,
  { reply, timeline }: FinishedCall,
  { interactionId, failure }: { interactionId: string; failure: CallFailure | null },
): Promise<SessionEventPayload[]> {
  const events: SessionEventPayload[] = [];
  for (const row of timeline.openRows()) {
    const { text } = row;
    const end =
      text === null
        ? { status: "cancelled" as const, content: "", interactionId: null }
        : failure === null || reply.outcome.kind === "completed"
          ? { status: "completed" as const, content: text, interactionId }
          : { status: "failed" as const, content: `Streaming failed: ${failure.message}`, interactionId };
    events.push(await timeline.complete(manager, row, end));
  }
  for (const row of nativeToolRows(reply)) {
    events.push(await timeline.add(manager, { ...row, interactionId }));
  }
  if (failure !== null) {
    const content = `LLM error: ${failure.message} (code: ${failure.code}, retryable: ${failure.retryable})`;
    events.push(await timeline.add(manager, { type: "error", content, metadata: null, interactionId }));
  }
  return events;
}

async function storeReply(
  manager: EntityManager,
  { session, execution, state }: ExecutionRun,
  reply: LlmReply,
) {
  const { execution_id, stage_id } = execution;
  const sequence_number = (state.messages.at(-1)?.sequence_number ?? 0) + 1;
  await manager.insert(MessageEntity, {
    message_id: uuidFrom(`message:${sequence_number}`, execution_id),
    session_id: session.sessionId,
    stage_id,
    execution_id,
    sequence_number,
    role: "assistant",
    content: storableText(reply.text).text,
    tool_calls:
      reply.toolCalls.length === 0
        ? null
        : reply.toolCalls.map(({ callId, name, arguments: json }) => ({
            id: storableText(callId).text,
            name: storableText(name).text,
            arguments: storableText(json).text,
          })),
    provider_state: reply.providerState === null ? null : Buffer.from(reply.providerState),
  });
}

function interactionRow(
  { session, execution, state }: ExecutionRun,
  step: Extract<AgentStep, { kind: "call-llm" }>,
  { reply, iteration, durationMs }: FinishedCall,
  { interactionId, failure }: { interactionId: string; failure: CallFailure | null },
) {
  const { usage } = reply;
  return {
    interaction_id: interactionId,
    session_id: session.sessionId,
    stage_id: execution.stage_id,
    execution_id: execution.execution_id,
    interaction_type: step.interaction,
    model_name: state.agent.llm_provider.model,
    last_message_id: state.messages.at(-1)?.message_id ?? null,
    llm_request: { messages_count: state.messages.length, iteration },
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

function tokensOf({ usage }: LlmReply): TokenUsage {
  if (usage === null) return NO_TOKENS;
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = usage;
  return { input: inputTokens, output: outputTokens, thinking: thinkingTokens, total: totalTokens };
}

function nextIterationState(
  before: IterationState,
  iteration: number,
  failure: CallFailure | null,
): IterationState {
  return {
    iteration,
    last_call_failed: failure !== null,
    last_error: failure?.message ?? null,
    last_error_code: failure?.code ?? null,
    last_error_retryable: failure?.retryable ?? true,
    consecutive_timeouts: failure?.code === "timeout" ? before.consecutive_timeouts + 1 : 0,
  };
}
