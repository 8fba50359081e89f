import { cancelToolCall } from "#shared/bus/cancel-tool-call.ts";
import { attemptId } from "#shared/contracts/tool-call-id.ts";
import {
  MAX_ARGUMENTS_CHARS,
  MAX_CALLS_PER_ANSWER,
  MAX_RESULT_BYTES,
  type CallPosition,
  type ClaimRefusal,
  type ToolCallAnswer,
} from "#shared/contracts/tool-call.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { claimToolCall } from "#shared/database/claim-tool-call.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { CancelledError, TerminalError, cancelledByUser, leaseLost } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import type { OwnedSession } from "../owned-session.ts";
import { askToolRunner, type FinalAnswer, type GaveUp } from "./ask-tool-runner.ts";
import { TOOL_TIMEOUTS, type ToolTimeouts } from "./tool-timeouts.ts";

/** A tool call of the conversation. */
export interface CallToolRequest {
  /** A UUID derived from the call's position, the same for every owner, so that the call runs once. */
  readonly callId: string;
  /** What the id derives from; the runner compares it. Absent in tests of other things. */
  readonly position?: Pick<CallPosition, "iteration" | "index">;
  readonly executionId: string;
  /** "server.tool" */
  readonly name: string;
  /** JSON text, or the text the model wrote. */
  readonly arguments: string;
  /** The rest of the iteration's time, in milliseconds. */
  readonly timeoutMs: number;
  /** The provider's limit in tokens; longer results are truncated. */
  readonly maxResultTokens: number;
}

/** How a call ended; each outcome becomes a message to the model. */
export type ToolOutcome =
  /** The tool answered; `isError` is true if it reported a failure. */
  | { readonly kind: "result"; readonly content: string; readonly isError: boolean }
  /** Not among the tools this agent may call; no request was sent. */
  | { readonly kind: "unknown_tool"; readonly message: string }
  /** Refused by the tool-runner; it did not run and never will. */
  | { readonly kind: "refused"; readonly message: string }
  /**
   * The call could not be made or failed. `mayHaveRun` is true if the tool was started, so that its effect is unknown;
   * the message, one sentence, says so for tools that are not read-only.
   */
  | {
      readonly kind: "exception";
      readonly message: string;
      readonly isTimeout: boolean;
      readonly mayHaveRun: boolean;
    };

type Caller = Pick<OwnedSession, "sessionId" | "epoch" | "db" | "bus" | "log" | "signal">;

const CHARS_PER_TOKEN = 4;
/** Attempts are added when a call was abandoned before it ran, or when a read-only call was interrupted. */
const MAX_ATTEMPTS = 100;
const RECORD_POLL_MS = 25;

/**
 * Makes a call of one of `tools`, or returns its recorded outcome: repeating the request, by this executor or the next,
 * never runs the call twice. An abandoned call, and a read-only call that lost its runner, is repeated under a new id.
 *
 * When `signal` (the session's, perhaps merged with the iteration's) aborts, the running call is cancelled too, unless
 * the reason is a lost lease or a shutdown: then it continues, and the next owner gets its result. Throws the signal's
 * reason, except an iteration's deadline, which counts as the call's timeout. Throws CancelledError if the session is no
 * longer owned.
 */
export async function callTool(
  session: Caller,
  tools: readonly ToolDescription[],
  request: CallToolRequest,
  signal: AbortSignal,
  timeouts: ToolTimeouts = TOOL_TIMEOUTS,
): Promise<ToolOutcome> {
  const tool = tools.find(({ name }) => name === request.name);
  if (tool === undefined) return { kind: "unknown_tool", message: `unknown tool "${request.name}"` };
  if (request.arguments.length > MAX_ARGUMENTS_CHARS) {
    const content = `The arguments have ${request.arguments.length} characters: at most ${MAX_ARGUMENTS_CHARS} are allowed.`;
    return { kind: "result", content, isError: true };
  }
  const deadline = performance.now() + request.timeoutMs;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const call: AttemptedCall = {
      session,
      tool,
      request,
      callId: attemptId(request.callId, attempt),
      attempt,
      timeouts,
    };
    const answer = await makeCall(call, deadline, signal);
    const isRepeated =
      answer.kind === "interrupted" || (answer.kind === "refused" && answer.reason === "abandoned");
    if (!isRepeated) return toOutcome(call, answer);
    session.log.info({ call_id: call.callId, attempt, reason: answer.kind }, "tool call repeated");
  }
  return failure(`the call was given up ${MAX_ATTEMPTS} times`, { mayHaveRun: true });
}

interface AttemptedCall {
  readonly session: Caller;
  readonly tool: ToolDescription;
  readonly request: CallToolRequest;
  readonly callId: string;
  readonly attempt: number;
  readonly timeouts: ToolTimeouts;
}

async function makeCall(call: AttemptedCall, deadline: number, signal: AbortSignal): Promise<FinalAnswer> {
  const { session, request, callId, timeouts } = call;
  const { sessionId, epoch } = session;
  const onAbort = () => cancelRunningCall(call, signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const answer = await askToolRunner(
      session.bus,
      {
        call_id: callId,
        session_id: sessionId,
        execution_id: request.executionId,
        epoch,
        ...(request.position === undefined
          ? {}
          : { position: { ...request.position, attempt: call.attempt } }),
        name: request.name,
        arguments: request.arguments,
        max_result_chars: Math.min(
          MAX_RESULT_BYTES,
          Math.max(1_000, request.maxResultTokens * CHARS_PER_TOKEN),
        ),
      },
      deadline,
      signal,
      timeouts,
    );
    return answer.kind === "gave_up" ? await settleUnanswered(call, answer) : answer;
  } catch (error) {
    if (!isIterationDeadline(signal)) throw error;
    const message = `timed out after ${((request.timeoutMs - (deadline - performance.now())) / 1_000).toFixed(1)} s`;
    return await settleUnanswered(call, { kind: "gave_up", message, isTimeout: true });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function isIterationDeadline({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof CancelledError && reason.reason === "iteration_deadline";
}

function cancelRunningCall({ session, callId }: AttemptedCall, reason: unknown): void {
  const cause = reason instanceof CancelledError ? reason.reason : "user";
  if (cause === "lease_lost" || cause === "shutdown") return; // the next owner needs the result
  const isDeadline = cause === "iteration_deadline" || cause === "session_deadline";
  cancelToolCall(session.bus, {
    call_id: callId,
    epoch: session.epoch,
    reason: isDeadline ? "deadline" : "cancelled",
  });
}

/**
 * Settles a call that no runner answered in time, by abandoning its id: if that succeeds, the call never ran and never
 * will. Otherwise its row says how it ended, perhaps after a moment, or that it is still running somewhere.
 */
async function settleUnanswered(call: AttemptedCall, { message, isTimeout }: GaveUp): Promise<FinalAnswer> {
  const { session, tool, request, callId, timeouts } = call;
  const claim = await claimToolCall(
    session.db,
    {
      callId,
      sessionId: session.sessionId,
      executionId: request.executionId,
      epoch: session.epoch,
      name: request.name,
      readOnly: tool.read_only,
    },
    "abandoned",
  );
  if (claim.kind === "refused") return claim;
  const neverRan: FinalAnswer = { kind: "not_made", message: `${message}; the call was not made`, isTimeout };
  if (claim.kind === "claimed") return neverRan;
  cancelToolCall(session.bus, { call_id: callId, epoch: session.epoch, reason: "deadline" });
  let { progress } = claim.call;
  for (const until = performance.now() + timeouts.afterDeadlineMs; progress.kind === "running";) {
    if (performance.now() >= until) {
      const doubt = tool.read_only ? "" : "; whether it took effect is not known";
      return { kind: isTimeout ? "timeout" : "outcome_unknown", message: `${message}${doubt}` };
    }
    await pause(RECORD_POLL_MS, session.signal);
    progress = (await readToolCall(session.db, callId))?.progress ?? progress;
  }
  return progress.kind === "abandoned" ? neverRan : progress.outcome;
}

async function toOutcome(call: AttemptedCall, answer: FinalAnswer): Promise<ToolOutcome> {
  switch (answer.kind) {
    case "result":
      return { kind: "result", content: answer.content, isError: answer.is_error };
    case "stored":
      return toOutcome(call, await readStored(call));
    case "unknown_tool":
      return failure(`the tool-runner does not know the tool "${call.request.name}" any more`, {});
    case "refused":
      return refusedOutcome(call, answer.reason);
    case "not_made":
      return failure(answer.message, { isTimeout: answer.isTimeout });
    case "timeout":
      return failure(answer.message, { isTimeout: true, mayHaveRun: true });
    case "exception":
    case "cancelled":
    case "interrupted":
    case "outcome_unknown":
      return failure(answer.message, { mayHaveRun: true });
    default:
      return answer satisfies never;
  }
}

function failure(
  message: string,
  { isTimeout = false, mayHaveRun = false }: { isTimeout?: boolean; mayHaveRun?: boolean },
): ToolOutcome {
  return { kind: "exception", message, isTimeout, mayHaveRun };
}

async function readStored({ session, callId }: AttemptedCall): Promise<FinalAnswer> {
  const call = await readToolCall(session.db, callId);
  if (call?.progress.kind === "over") return call.progress.outcome;
  throw new TerminalError("malformed", `tool call ${callId} was said to be stored, but is not`);
}

/** What a refusal means: an outcome if it is one of this call alone, otherwise an error, which is thrown. */
function refusedOutcome(
  { session, request, callId }: AttemptedCall,
  reason: Extract<ToolCallAnswer, { kind: "refused" }>["reason"],
): ToolOutcome {
  switch (reason) {
    case "session_cancelled":
      throw cancelledByUser();
    case "not_owner":
    case "abandoned":
      throw leaseLost();
    case "id_taken":
      throw new TerminalError("id_taken", `tool call id ${callId} belongs to another call`);
    case "tool_not_allowed":
    case "too_many_calls":
    case "not_requested":
      session.log.warn({ call_id: callId, name: request.name, reason }, "tool call refused");
      return { kind: "refused", message: refusalMessage(reason, request.name) };
    default:
      return reason satisfies never;
  }
}

function refusalMessage(reason: ClaimRefusal, name: string): string {
  switch (reason) {
    case "tool_not_allowed":
      return `the tool "${name}" is not among those that this agent may use; the call was not made`;
    case "too_many_calls":
      return `too many tool calls in one answer: at most ${MAX_CALLS_PER_ANSWER} are carried out; the call was not made`;
    case "not_requested":
      return "the call is none of the newest answer's; it was not made";
    default:
      return reason satisfies never;
  }
}
