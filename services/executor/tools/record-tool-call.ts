import { v5 as uuidFrom } from "uuid";
import { type IterationState } from "#shared/contracts/iteration-state.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { RequestedCall } from "../controllers/controller.ts";
import { timelineOf, type ExecutionRun } from "../execution-run.ts";
import { newMessages, type AppendedMessage } from "../persist/conversation.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { NewMcpInteraction } from "../state/step-rows.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { observation } from "../prompts/react-feedback.ts";
import type { SessionNonce } from "../prompts/session-nonce.ts";
import type { ToolOutcome } from "./call-tool.ts";

/** A call that has ended. */
interface FinishedToolCall {
  readonly call: RequestedCall;
  /** The arguments as parsed. */
  readonly parameters: object;
  /** True if the model gets the outcome as an observation in a user message instead of a tool message. */
  readonly asObservation: boolean;
  readonly outcome: ToolOutcome;
  /** Milliseconds that the call took, and that it used of the iteration's time. */
  readonly usedMs: { readonly call: number; readonly iteration: number };
}

/** The outcome as texts; both Postgres-safe. */
interface OutcomeText {
  /** For the timeline. */
  readonly displayText: string;
  /** For the message to the model. */
  readonly modelText: string;
  readonly isError: boolean;
}

/** The step that records a tool call's outcome: its record, its timeline row, the message and the iteration state. */
export function recordToolCall(run: ExecutionRun, finished: FinishedToolCall): StepRecord {
  const { execution, state } = run;
  const { call, outcome } = finished;
  const { iteration } = state.iteration;
  const text = outcomeText(finished, state.alert.nonce);
  const mcp_interaction_id = uuidFrom(`mcp:${iteration}:${call.index}`, execution.execution_id);
  const timeline = timelineOf(run, iteration);
  timeline.add({
    type: "tool_result",
    content: text.displayText,
    metadata: { ...toolNames(call.name), is_error: text.isError },
    interactionId: null,
    mcpInteractionId: mcp_interaction_id,
  });
  const { rows, events } = timeline.record();
  const iteration_state = nextIterationState(state.iteration, outcome, finished.usedMs.iteration);
  return {
    rows: {
      ...rows,
      mcpInteractions: [interactionRow(run, finished, mcp_interaction_id, text)],
      timelineLinks: [{ event_id: wholeRowId(execution, iteration, toolCallKey(call)), mcp_interaction_id }],
      messages: newMessages(run, [messageOf(finished, text.modelText)]),
      executionChanges: [{ execution_id: execution.execution_id, iteration_state }],
    },
    events,
  };
}

/** The reference's wording for each outcome. A tool's own output is framed as data in a user message. */
function outcomeText({ call, asObservation, outcome }: FinishedToolCall, nonce: SessionNonce): OutcomeText {
  if (outcome.kind === "result") {
    const { isError } = outcome;
    const displayText = postgresSafeText(outcome.content).text;
    if (!asObservation) return { displayText, modelText: displayText, isError };
    const output = isError ? `Error executing ${call.name}: ${displayText}` : displayText;
    return { displayText, modelText: observation(output, nonce), isError };
  }
  const error = postgresSafeText(outcome.message).text;
  const message = asObservation
    ? `Observation: Error - Tool execution failed: ${error}`
    : `Error executing tool: ${error}`;
  return { displayText: message, modelText: message, isError: true };
}

function interactionRow(
  { execution }: ExecutionRun,
  { call, parameters, outcome, usedMs }: FinishedToolCall,
  interaction_id: string,
  { displayText, isError }: OutcomeText,
): NewMcpInteraction {
  const { stage_id, execution_id } = execution;
  return {
    interaction_id,
    stage_id,
    execution_id,
    interaction_type: "tool_call",
    ...toolNames(call.name),
    tool_arguments: parameters,
    tool_result: { content: displayText, is_error: isError },
    available_tools: null,
    duration_ms: Math.round(usedMs.call),
    error_message: outcome.kind === "result" ? null : postgresSafeText(outcome.message).text,
  };
}

function messageOf({ call, asObservation }: FinishedToolCall, content: string): AppendedMessage {
  if (asObservation) return { role: "user", content };
  return {
    role: "tool",
    content,
    tool_call_id: call.toolCallId ?? "",
    tool_name: postgresSafeText(call.name).text,
  };
}

/**
 * Only a call that could not be executed counts as a failure; a tool's own error, an unknown tool and a refusal are answers.
 */
function nextIterationState(before: IterationState, outcome: ToolOutcome, usedMs: number): IterationState {
  const tools_budget_ms = Math.max(0, before.tools_budget_ms - Math.round(usedMs));
  if (outcome.kind !== "exception") return { ...before, tools_budget_ms };
  return {
    ...before,
    tools_budget_ms,
    last_failed: true,
    last_error: postgresSafeText(outcome.message).text,
    last_error_code: outcome.isTimeout ? "timeout" : "tool_failed",
    last_error_retryable: true,
    consecutive_timeouts: outcome.isTimeout ? before.consecutive_timeouts + 1 : 0,
  };
}

/** The key of a call's timeline row within its iteration. */
export function toolCallKey({ index }: RequestedCall): string {
  return `call:${index}`;
}

/** Both parts of "server.tool". */
export function toolNames(name: string): { tool_name: string; server_name: string } {
  const dot = name.indexOf(".");
  return {
    tool_name: postgresSafeText(name.slice(dot + 1)).text,
    server_name: postgresSafeText(dot === -1 ? "" : name.slice(0, dot)).text,
  };
}
