import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import { NO_TOKENS, type TokenUsage } from "#shared/database/append-events.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AgentExecutionEntity, type IterationState } from "#shared/database/entities/agent-execution.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { storableText } from "#shared/storable-text.ts";
import type { ExecutionRun } from "../agent/execution-run.ts";
import type { AgentState, CallLlm } from "../agent/steps/agent-step.ts";
import type { LlmReply } from "../call-llm.ts";
import { commitStep } from "./commit-step.ts";
import { nativeToolRows } from "./native-tool-rows.ts";
import { appendMessage, type AppendedMessage } from "./append-message.ts";
import { replyContents } from "./reply-contents.ts";
import type { RowEnd, TimelineWriter } from "./timeline-writer.ts";

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
export async function recordLlmCall(run: ExecutionRun, step: CallLlm, call: FinishedCall): Promise<void> {
  const { session, execution } = run;
  const { reply, timeline, iteration } = call;
  const failure = failureOf(reply, step);
  const interactionId = uuidFrom(`llm:${iteration}`, execution.execution_id);
  await timeline.flush();
  await commitStep(session, async (manager) => {
    await manager.insert(LlmInteractionEntity, interactionRow(run, step, call, { interactionId, failure }));
    const events = await completeRows(manager, step, call, { interactionId, failure });
    const message = failure === null ? assistantMessage(reply) : afterFailure(step, failure);
    if (message !== null) await appendMessage(manager, run, message);
    const tokens = tokensOf(reply);
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      {
        iteration_state: nextIterationState(run.state, call, failure),
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

/** What an iterating agent is told after a failed call; null where nothing comes after it. */
function afterFailure({ afterFailure: tell }: CallLlm, { message }: CallFailure): AppendedMessage | null {
  return tell === null ? null : { role: "user", content: tell(message) };
}

/** A reply without text cannot go on as a conversation: it counts as a failed call. */
function failureOf({ outcome, text, thinking, toolCalls }: LlmReply, step: CallLlm): CallFailure | null {
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
      if (step.thinkingMayAnswer && thinking !== "") return null;
      return { code: "empty_response", message: "the model returned no text", retryable: true };
    default:
      return outcome satisfies never;
  }
}

async function completeRows(
  manager: EntityManager,
  step: CallLlm,
  { reply, timeline }: FinishedCall,
  { interactionId, failure }: { interactionId: string; failure: CallFailure | null },
): Promise<SessionEventPayload[]> {
  const events: SessionEventPayload[] = [];
  const contents = reply.outcome.kind === "completed" ? replyContents(step, reply) : undefined;
  const missing = new Map(contents);
  for (const row of timeline.openRows()) {
    const end = rowEnd(
      row.text,
      contents === undefined ? undefined : (contents.get(row.kind) ?? null),
      failure,
    );
    events.push(await timeline.complete(manager, row, { ...end, interactionId }));
    missing.delete(row.kind);
  }
  // A ReAct agent reasons in text: what its provider did besides is in the interaction's record.
  for (const row of step.style === "react" ? [] : nativeToolRows(reply)) {
    events.push(await timeline.add(manager, { ...row, interactionId }));
  }
  // What the complete text says although nothing of it was streamed.
  for (const [kind, content] of missing) {
    events.push(await timeline.addStream(manager, kind, { content, interactionId }));
  }
  if (failure !== null) {
    const content = `LLM error: ${failure.message} (code: ${failure.code}, retryable: ${failure.retryable})`;
    events.push(await timeline.add(manager, { type: "error", content, metadata: null, interactionId }));
  }
  return events;
}

/**
 * How an open row ends. `streamed` is what this call wrote into it, null if nothing; `content` what the complete reply
 * has for it, null if nothing, undefined if the reply did not come to its end.
 */
function rowEnd(
  streamed: string | null,
  content: string | null | undefined,
  failure: CallFailure | null,
): Pick<RowEnd, "status" | "content"> {
  if (content !== undefined && content !== null) return { status: "completed", content };
  if (streamed === null) return { status: "cancelled", content: "" };
  // The complete text revoked what was streamed, or the stream broke.
  if (content === null) return { status: "failed", content: streamed };
  return { status: "failed", content: `Streaming failed: ${failure?.message ?? "unknown error"}` };
}

function assistantMessage({ text, thinking, toolCalls, providerState }: LlmReply): AppendedMessage {
  const calls = toolCalls.map(({ callId, name, arguments: json }) => ({
    id: storableText(callId).text,
    name: storableText(name).text,
    arguments: storableText(json).text,
  }));
  return {
    role: "assistant",
    // An answer that had to be found in the thinking is stored as what it was taken for.
    content: text === "" && calls.length === 0 ? thinking : text,
    tool_calls: calls.length === 0 ? null : calls,
    provider_state: providerState === null ? null : Buffer.from(providerState),
  };
}

function interactionRow(
  { session, execution, state }: ExecutionRun,
  step: CallLlm,
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
    llm_request: { messages_count: state.messages.length, iteration, tools_count: step.tools.length },
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
  { iteration: before, agent }: AgentState,
  { iteration, durationMs }: FinishedCall,
  failure: CallFailure | null,
): IterationState {
  return {
    iteration,
    phase: before.phase,
    last_failed: failure !== null,
    consecutive_failures: failure === null ? 0 : before.consecutive_failures + 1,
    last_error: failure?.message ?? null,
    last_error_code: failure?.code ?? null,
    last_error_retryable: failure?.retryable ?? true,
    consecutive_timeouts: failure?.code === "timeout" ? before.consecutive_timeouts + 1 : 0,
    tools_budget_ms: Math.max(0, agent.iteration_timeout_ms - durationMs),
  };
}
