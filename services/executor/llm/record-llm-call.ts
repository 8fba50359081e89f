import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { AgentExecutionEntity, type IterationState } from "#shared/database/entities/agent-execution.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { storableText } from "#shared/storable-text.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { AgentState, CallLlm } from "../controllers/controller.ts";
import type { LlmReply } from "./call-llm.ts";
import { commitStep } from "../persist/commit-step.ts";
import { nativeToolRows } from "./native-tool-rows.ts";
import { appendMessage, type AppendedMessage } from "../persist/append-message.ts";
import { llmInteractionRow } from "./llm-interaction-row.ts";
import { replyContents } from "./reply-contents.ts";
import { replyFailure, type CallFailure } from "./reply-failure.ts";
import { replyTokens, tokenSums } from "./reply-tokens.ts";
import type { RowEnd, TimelineWriter } from "../persist/timeline-writer.ts";

/** A finished call and where it was streamed. */
export interface FinishedCall {
  readonly reply: LlmReply;
  /** From 1. */
  readonly iteration: number;
  readonly timeline: TimelineWriter;
  readonly durationMs: number;
}

/**
 * Commits an LLM call's outcome in one transaction: its timeline rows, the assistant message, the interaction, the
 * token sums and the iteration state. Rows of an earlier attempt that this one did not fill end as `cancelled`.
 */
export async function recordLlmCall(run: ExecutionRun, step: CallLlm, call: FinishedCall): Promise<void> {
  const { session, execution, state } = run;
  const { reply, timeline, iteration, durationMs } = call;
  const failure = replyFailure(reply, step);
  const interactionId = uuidFrom(`llm:${iteration}`, execution.execution_id);
  await timeline.flush();
  await commitStep(session, async (manager) => {
    const row = llmInteractionRow(execution, {
      interactionId,
      type: step.interaction,
      model: state.agent.llm_provider.model,
      lastMessageId: state.messages.at(-1)?.message_id ?? null,
      request: { messages_count: state.messages.length, iteration, tools_count: step.tools.length },
      reply,
      durationMs,
      failure,
    });
    await manager.insert(LlmInteractionEntity, row);
    const events = await completeRows(manager, step, call, { interactionId, failure });
    const message = failure === null ? assistantMessage(reply) : afterFailure(step, failure);
    if (message !== null) await appendMessage(manager, run, message);
    const tokens = replyTokens(reply);
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      { iteration_state: nextIterationState(state, call, failure), ...tokenSums(tokens) },
    );
    return { events, tokens };
  });
  timeline.close();
}

/** What an iterating agent is told after a failed call; null where nothing comes after it. */
function afterFailure({ afterFailure: tell }: CallLlm, { message }: CallFailure): AppendedMessage | null {
  return tell === null ? null : { role: "user", content: tell(message) };
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
