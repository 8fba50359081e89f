import { v5 as uuidFrom } from "uuid";
import { AgentExecutionEntity, type IterationState } from "#shared/database/entities/agent-execution.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { storableText } from "#shared/storable-text.ts";
import { observationText } from "../prompts/observation-text.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { RequestedCall } from "../controllers/controller.ts";
import type { ToolOutcome } from "./call-tool.ts";
import { toolCallKey, toolNames } from "./announce-tool-call.ts";
import { appendMessage, type AppendedMessage } from "../persist/append-message.ts";
import { commitStep } from "../persist/commit-step.ts";
import { openTimelineWriter, wholeRowId } from "../persist/timeline-writer.ts";

/** A call that has come to its end. */
export interface FinishedToolCall {
  readonly call: RequestedCall;
  /** The arguments as understood. */
  readonly given: object;
  /** True where the model reads the outcome as an observation in a user message instead of a tool message. */
  readonly asObservation: boolean;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** What is shown in the timeline and what the model is told; both storable. */
interface Told {
  readonly shown: string;
  readonly message: string;
  readonly isError: boolean;
}

/** Commits a tool call's outcome in one transaction: its record, its timeline row, the message and the iteration state. */
export async function recordToolCall(run: ExecutionRun, finished: FinishedToolCall): Promise<void> {
  const { session, execution, state } = run;
  const { call, outcome } = finished;
  const { iteration } = state.iteration;
  const told = tellOutcome(finished);
  const interactionId = uuidFrom(`mcp:${iteration}:${call.index}`, execution.execution_id);
  const timeline = await openTimelineWriter(session, execution, iteration);
  await commitStep(session, async (manager) => {
    await manager.insert(McpInteractionEntity, interactionRow(run, finished, interactionId, told));
    await manager.update(
      TimelineEventEntity,
      { event_id: wholeRowId(execution, iteration, toolCallKey(call)) },
      { mcp_interaction_id: interactionId },
    );
    const event = await timeline.add(manager, {
      type: "tool_result",
      content: told.shown,
      metadata: { ...toolNames(call.name), is_error: told.isError },
      interactionId: null,
      mcpInteractionId: interactionId,
    });
    await appendMessage(manager, run, messageOf(finished, told.message));
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      { iteration_state: nextIterationState(state.iteration, outcome, finished.durationMs) },
    );
    return { events: [event] };
  });
}

/** The reference's words for each outcome; what a tool said itself is framed as data where it stands in a user message. */
function tellOutcome({ call, asObservation, outcome }: FinishedToolCall): Told {
  if (outcome.kind === "result") {
    const shown = storableText(outcome.content).text;
    if (!asObservation) return { shown, message: shown, isError: outcome.isError };
    const output = outcome.isError ? `Error executing ${call.name}: ${shown}` : shown;
    return { shown, message: observationText(output), isError: outcome.isError };
  }
  const error = storableText(outcome.message).text;
  const message = asObservation
    ? `Observation: Error - Tool execution failed: ${error}`
    : `Error executing tool: ${error}`;
  return { shown: message, message, isError: true };
}

function interactionRow(
  { execution }: ExecutionRun,
  { call, given, outcome, durationMs }: FinishedToolCall,
  interaction_id: string,
  { shown, isError }: Told,
) {
  const { session_id, stage_id, execution_id } = execution;
  return {
    interaction_id,
    session_id,
    stage_id,
    execution_id,
    interaction_type: "tool_call" as const,
    ...toolNames(call.name),
    tool_arguments: given,
    tool_result: { content: shown, is_error: isError },
    duration_ms: durationMs,
    error_message: outcome.kind === "result" ? null : storableText(outcome.message).text,
  };
}

function messageOf({ call, asObservation }: FinishedToolCall, content: string): AppendedMessage {
  if (asObservation) return { role: "user", content };
  return {
    role: "tool",
    content,
    tool_call_id: call.toolCallId ?? "",
    tool_name: storableText(call.name).text,
  };
}

/** Only a call that could not be executed is a failure: an error that the tool reported, or an unknown tool, is an answer. */
function nextIterationState(
  before: IterationState,
  outcome: ToolOutcome,
  durationMs: number,
): IterationState {
  const tools_budget_ms = Math.max(0, before.tools_budget_ms - durationMs);
  if (outcome.kind !== "exception") return { ...before, tools_budget_ms };
  return {
    ...before,
    tools_budget_ms,
    last_failed: true,
    last_error: storableText(outcome.message).text,
    last_error_code: outcome.isTimeout ? "timeout" : "tool_failed",
    last_error_retryable: true,
    consecutive_timeouts: outcome.isTimeout ? before.consecutive_timeouts + 1 : 0,
  };
}
