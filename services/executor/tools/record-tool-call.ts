import { uuidFrom } from "#shared/uuid-from.ts";
import type { IterationState, PendingSummary } from "#shared/contracts/iteration-state.ts";
import { hasHandles } from "#shared/contracts/resolved-chain.ts";
import type { CallOutcomeKind } from "#shared/contracts/recorded-tools.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { fullToolName, RESULT_TOOL_NAMES, TOOL_SEARCH } from "../controllers/built-in-tools.ts";
import type { RequestedCall, RunTool } from "../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import { newMessages, type AppendedMessage } from "../persist/conversation.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { handleOf, numberedHandle, withHandle } from "../state/agent-handles.ts";
import { ofExecution, type NewMcpInteraction } from "../state/step-rows.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { observation } from "../prompts/react-feedback.ts";
import { type SessionNonce, untrustedText } from "../prompts/untrusted-text.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** Where the whole text of a large result is kept, and how much it is. */
export type KeptResultFacts = Pick<PendingSummary, "handle" | "bytes" | "lines">;

/** A call that has ended. */
interface FinishedToolCall {
  readonly call: RequestedCall;
  /** The arguments as parsed. */
  readonly parameters: object;
  /** True if the model gets the outcome as an observation in a user message instead of a tool message. */
  readonly asObservation: boolean;
  readonly outcome: ToolOutcome;
  /** Where the whole text is kept of a result that is to be summarized; absent or null for any other. */
  readonly kept?: KeptResultFacts | null;
  /** Milliseconds that the call took. */
  readonly usedMs: number;
}

/** The values on which the message to the model depends. */
type OutcomeOfCall = Pick<FinishedToolCall, "asObservation" | "outcome"> & {
  /** As the model wrote it. */
  readonly name: string;
};

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
  const { call } = finished;
  const { iteration } = state.iteration;
  const text = outcomeText({ ...finished, name: call.name }, state.alert.nonce);
  const mcp_interaction_id = uuidFrom(`mcp:${iteration}:${call.index}`, execution.execution_id);
  const timeline = timelineOf(run, iteration);
  const call_event_id = wholeRowId(execution, iteration, toolCallKey(call));
  timeline.add({
    type: "tool_result",
    content: text.displayText,
    metadata: {
      ...toolNames(call.name),
      is_error: text.isError,
      call_event_id,
      duration_ms: Math.round(finished.usedMs),
    },
    interactionId: null,
    mcpInteractionId: mcp_interaction_id,
  });
  const { rows, events } = timeline.record();
  const { content, iteration: counted } = named(run, finished, text.modelText);
  const messages = newMessages(run, [messageOf(finished, content)]);
  const iteration_state = withPendingSummary(counted, finished, messages.at(-1)?.sequence_number);
  return {
    rows: {
      ...rows,
      mcpInteractions: [interactionRow(run, finished, mcp_interaction_id, text)],
      ...keptRows(finished.outcome),
      timelineLinks: [{ event_id: call_event_id, mcp_interaction_id }],
      messages,
      executionChanges: [{ execution_id: execution.execution_id, iteration_state }],
    },
    events,
  };
}

/**
 * The message of an agent whose results are quoted begins with the handle of its result: the number of its call. What reads a kept
 * result has the handle of that.
 */
function named(
  { state: { agent, iteration, messages } }: ExecutionRun,
  { call, parameters, outcome }: FinishedToolCall,
  content: string,
): { readonly content: string; readonly iteration: IterationState } {
  if (!hasHandles(agent)) return { content, iteration };
  const results = (iteration.results ?? 0) + 1;
  const id = "id" in parameters && typeof parameters.id === "string" ? parameters.id : "";
  const isReader = RESULT_TOOL_NAMES.some((name) => fullToolName(call.name).endsWith(`.${name}`));
  const read = isReader && id !== "" ? messages.find((message) => message.content.includes(id)) : undefined;
  // Neither our own words nor definitions of tools are results that could be quoted.
  const isOwn =
    fullToolName(call.name) === TOOL_SEARCH.name ||
    (outcome.kind === "result" && outcome.isOwnText === true && read === undefined);
  const handle = isOwn ? "" : read === undefined ? numberedHandle(results) : handleOf(read.content);
  return { content: withHandle(content, handle), iteration: { ...iteration, results } };
}

/** The whole text of a large result of a built-in tool; a runner has stored that of any other. */
function keptRows(outcome: ToolOutcome): Pick<StepRecord["rows"], "toolResults"> {
  if (outcome.kind !== "result" || outcome.kept === undefined) return {};
  const { handle: call_id, bytes, lines, text: content } = outcome.kept;
  return { toolResults: [{ call_id, bytes, lines, content }] };
}

/** The reference's wording for each outcome. The words of a tool and of its server are framed as data. */
export function outcomeText(
  { name, asObservation, outcome }: OutcomeOfCall,
  nonce: SessionNonce,
): OutcomeText {
  if (outcome.kind === "result") {
    const { isError } = outcome;
    const displayText = postgresSafeText(outcome.content).text;
    if (outcome.isOwnText === true) {
      return { displayText, modelText: `${asObservation ? "Observation: " : ""}${displayText}`, isError };
    }
    if (!asObservation) {
      return { displayText, modelText: untrustedText(nonce, "TOOL_OUTPUT", displayText), isError };
    }
    const output = isError ? `Error executing ${name}: ${displayText}` : displayText;
    return { displayText, modelText: observation(output, nonce), isError };
  }
  const error = postgresSafeText(outcome.message).text;
  const opening = asObservation ? "Observation: Error - Tool execution failed: " : "Error executing tool: ";
  const message = `${opening}${error}`;
  // Such an error may have the server's words.
  if (outcome.kind === "exception") {
    const modelText = `${opening}${untrustedText(nonce, "TOOL_ERROR", error)}`;
    return { displayText: message, modelText, isError: true };
  }
  if (outcome.kind !== "refused" || outcome.reason === undefined) {
    return { displayText: message, modelText: message, isError: true };
  }
  const reason = postgresSafeText(outcome.reason).text;
  return {
    displayText: `${message}. The reason: ${reason}`,
    modelText: `${message}. The person's reason:\n${untrustedText(nonce, "REASON", reason)}`,
    isError: true,
  };
}

function interactionRow(
  { execution, state }: ExecutionRun,
  { call, parameters, outcome, usedMs }: FinishedToolCall,
  interaction_id: string,
  { displayText, isError }: OutcomeText,
): NewMcpInteraction {
  return {
    interaction_id,
    ...ofExecution(execution),
    interaction_type: "tool_call",
    ...toolNames(call.name),
    tool_arguments: parameters,
    tool_result: { content: displayText, is_error: isError },
    available_tools: null,
    duration_ms: Math.round(usedMs),
    error_message: outcome.kind === "result" ? null : postgresSafeText(outcome.message).text,
    outcome: { iteration: state.iteration.iteration, index: call.index, ...kindOf(outcome) },
  };
}

/** The part of an outcome that the record's texts do not have: with both, the message to the model can be made again. */
function kindOf(outcome: ToolOutcome): Omit<CallOutcomeKind, "iteration" | "index"> {
  switch (outcome.kind) {
    case "result":
      return outcome.isOwnText === true ? { kind: "result", own_text: true } : { kind: "result" };
    case "unknown_tool":
      return { kind: "unknown_tool" };
    case "refused": {
      const { reason } = outcome;
      return { kind: "refused", ...(reason === undefined ? {} : { reason: postgresSafeText(reason).text }) };
    }
    case "exception":
      return {
        kind: "exception",
        ...(outcome.isTimeout ? { is_timeout: true } : {}),
        ...(outcome.mayHaveRun ? { may_have_run: true } : {}),
      };
    default:
      return outcome satisfies never;
  }
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

/** The result's message has a window of it; a later step puts the summary in its place. */
function withPendingSummary(
  state: IterationState,
  { call, asObservation, outcome, kept }: FinishedToolCall,
  message: number | undefined,
): IterationState {
  if (kept === null || kept === undefined || outcome.kind !== "result" || message === undefined) return state;
  const pending = {
    ...kept,
    message,
    index: call.index,
    name: call.name,
    is_error: outcome.isError,
    as_observation: asObservation,
    failed_calls: 0,
  };
  return { ...state, pending_summaries: [...(state.pending_summaries ?? []), pending] };
}

/** The key of a call's timeline row within its iteration. */
export function toolCallKey({ index }: RequestedCall): string {
  return `call:${index}`;
}

/** Both parts of "server.tool"; a built-in tool has its reserved server, however the model wrote the name. */
export function toolNames(written: string): { tool_name: string; server_name: string } {
  const name = fullToolName(written);
  const dot = name.indexOf(".");
  return {
    tool_name: postgresSafeText(name.slice(dot + 1)).text,
    server_name: postgresSafeText(dot === -1 ? "" : name.slice(0, dot)).text,
  };
}

/**
 * A call's arguments as the tool-runner gets them, which fits them to the tool's schema: those written as text are parsed first,
 * structured ones stay as they are.
 */
export function callArguments({ asObservation }: Pick<RunTool, "asObservation">, written: string): string {
  return asObservation ? JSON.stringify(parseActionInput(written)) : written;
}
