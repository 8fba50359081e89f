import { cancelToolCall } from "#shared/bus/publish-message.ts";
import {
  attemptId,
  MAX_RESULT_BYTES,
  type CallPosition,
  type ToolCallProgress,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { claimToolCall } from "#shared/database/claim-tool-call.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { CancelledError, TerminalError, RetryableError, errorMessage } from "#shared/errors.ts";
import { pause, jitter } from "#shared/pause.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import type { SessionTools, Signals } from "../core/session-parts.ts";
import { CHARS_PER_TOKEN, MIN_SHOWN_CHARS } from "#shared/contracts/result-sizes.ts";
import { unknownTool, unmakeableCall } from "./calls-not-made.ts";
import { SkippedError, refusedOutcome, failedCall, type ToolOutcome } from "./tool-outcome.ts";
import { TOOL_TIMEOUTS, type ToolTimeouts } from "./tool-timeouts.ts";
import { watchProgress } from "./progress-relay.ts";
import { request as requestReply } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

/** A tool call of the conversation. */
export interface CallToolRequest {
  /** A UUID derived from the call's position, the same for every owner, so that the call runs once. */
  readonly callId: string;
  /** The position from which the id derives; the runner compares it. */
  readonly position: Pick<CallPosition, "iteration" | "index">;
  readonly executionId: string;
  /** "server.tool" */
  readonly name: string;
  /** JSON text, or the text the model wrote. */
  readonly arguments: string;
  /** The arguments are only known with their secrets masked: the call's outcome is looked up, but no call is made. */
  readonly isIncomplete?: boolean;
  /** The rest of the iteration's time, in milliseconds. */
  readonly timeoutMs: number;
  /** In tokens; of a longer result, the conversation gets a window. */
  readonly maxResultTokens: number;
  /** Called with what the running call has reached; must not throw. */
  readonly onProgress?: (progress: ToolCallProgress) => void;
}

interface Caller extends Pick<OwnedSession, "sessionId" | "epoch" | "db" | "bus" | "log"> {
  readonly tools: Pick<SessionTools, "homes">;
  readonly signals: Pick<Signals, "cancelled">;
}

/** Attempts are added when a call was abandoned before it ran, or when a read-only call was interrupted. */
export const MAX_TOOL_ATTEMPTS = 100;

const RECORD_POLL_MS = 25;

const ARGUMENTS_LOST =
  "The call was not made: its arguments contain secrets, which are not stored, and the process that had them has ended. Ask for the call again.";

/**
 * Makes a call of one of `tools`, or returns its recorded outcome: repeating the request, by this executor or the next,
 * never runs the call twice. An abandoned call, and a read-only call that lost its runner, is repeated under a new id.
 *
 * When `signal` (the session's, perhaps merged with the iteration's) aborts, the running call is cancelled too, unless
 * the reason is a lost lease, a shutdown or a parking: then it continues, and the next owner gets its result. Throws the signal's
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
  const refusal = unmakeableCall(tools, request);
  if (tool === undefined || refusal !== null) return refusal ?? unknownTool(request.name, tools);
  const deadline = performance.now() + request.timeoutMs;
  for (let attempt = 1; attempt <= MAX_TOOL_ATTEMPTS; attempt += 1) {
    const call: AttemptedCall = {
      session,
      tool,
      request,
      callId: attemptId(request.callId, attempt),
      attempt,
      timeouts,
    };
    if (request.isIncomplete === true && (await readToolCall(session.db, call.callId)) === undefined) {
      return { kind: "result", content: ARGUMENTS_LOST, isError: true };
    }
    const answer = await makeCall(call, deadline, signal);
    const isRepeated =
      answer.kind === "interrupted" || (answer.kind === "refused" && answer.reason === "abandoned");
    if (!isRepeated) return toOutcome(call, answer);
    session.log.info({ call_id: call.callId, attempt, reason: answer.kind }, "tool call repeated");
  }
  return failedCall(`the call was given up ${MAX_TOOL_ATTEMPTS} times`, { mayHaveRun: true });
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
  const { session, tool, request, callId, timeouts } = call;
  const { sessionId, epoch } = session;
  const { executionId, onProgress } = request;
  using _ = onProgress === undefined ? null : watchProgress(session.bus, { executionId, callId }, onProgress);
  const onAbort = () => cancelRunningCall(call, signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const answer = await askToolRunner(
      session,
      {
        call_id: callId,
        session_id: sessionId,
        execution_id: executionId,
        epoch,
        position: { ...request.position, attempt: call.attempt },
        name: request.name,
        ...(tool.effect === undefined ? {} : { effect: tool.effect }),
        ...(tool.definition_hash === undefined ? {} : { definition_hash: tool.definition_hash }),
        arguments: request.arguments,
        max_result_chars: Math.min(
          MAX_RESULT_BYTES,
          Math.max(MIN_SHOWN_CHARS, request.maxResultTokens * CHARS_PER_TOKEN),
        ),
      },
      deadline,
      signal,
      timeouts,
    );
    return answer.kind === "gave_up" ? await settleUnanswered(call, answer) : answer;
  } catch (error) {
    if (isSkipped(signal)) return await settleSkipped(call);
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

function isSkipped({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof SkippedError;
}

/** A call that has ended in the meantime keeps its outcome; one that was interrupted is not repeated. */
async function settleSkipped(call: AttemptedCall): Promise<FinalAnswer> {
  const { message } = new SkippedError();
  const answer = await settleUnanswered(call, { kind: "gave_up", message, isTimeout: false });
  switch (answer.kind) {
    case "cancelled":
    case "exception":
    case "interrupted":
    case "timeout": {
      const doubt = call.tool.read_only ? "" : "; whether it took effect is not known";
      return { kind: "outcome_unknown", message: `${message}${doubt}` };
    }
    default:
      return answer;
  }
}

function cancelRunningCall({ session, callId }: AttemptedCall, reason: unknown): void {
  const cause = reason instanceof CancelledError ? reason.reason : "user";
  if (cause === "lease_lost" || cause === "shutdown" || cause === "parked") return; // the next owner needs the result
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
    await pause(RECORD_POLL_MS, session.signals.cancelled);
    progress = (await readToolCall(session.db, callId))?.progress ?? progress;
  }
  return progress.kind === "abandoned" ? neverRan : progress.outcome;
}

async function toOutcome(call: AttemptedCall, answer: FinalAnswer): Promise<ToolOutcome> {
  const { session, request, callId } = call;
  switch (answer.kind) {
    case "result":
      return { kind: "result", content: answer.content, isError: answer.is_error };
    case "stored":
      return toOutcome(call, await readStored(call));
    case "unknown_tool":
      return failedCall(`the tool-runner does not know the tool "${request.name}" any more`, {});
    case "refused":
      return refusedOutcome({ log: session.log, callId, name: request.name }, answer.reason);
    case "not_made":
      return failedCall(answer.message, { isTimeout: answer.isTimeout });
    case "timeout":
      return failedCall(answer.message, { isTimeout: true, mayHaveRun: true });
    case "exception":
    case "cancelled":
    case "interrupted":
    case "outcome_unknown":
      return failedCall(answer.message, { mayHaveRun: true });
    default:
      return answer satisfies never;
  }
}

async function readStored({ session, callId }: AttemptedCall): Promise<FinalAnswer> {
  const call = await readToolCall(session.db, callId);
  if (call?.progress.kind === "over") return call.progress.outcome;
  throw new TerminalError("malformed", `tool call ${callId} was said to be stored, but is not`);
}

/** No runner reported how the call ended; whether it ran is unknown. */
interface GaveUp {
  readonly kind: "gave_up";
  readonly message: string;
  readonly isTimeout: boolean;
}

/** How a call ended, as far as is known. */
type FinalAnswer =
  | Exclude<ToolCallAnswer, { kind: "running" | "busy" }>
  /** It never started and never will. */
  | { readonly kind: "not_made"; readonly message: string; readonly isTimeout: boolean };

type RunnerReply = Exclude<ToolCallAnswer, { kind: "running" | "busy" }> | GaveUp;

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/**
 * Requests one call from the tool-runners, repeatedly under the same id, until one reports how it ended or `deadline`
 * (monotonic clock, milliseconds) has passed: first from the execution's home, and if that does not answer, from any. Lost, late and duplicate replies do no harm. Throws the signal's reason
 * once it aborts.
 */
async function askToolRunner(
  { bus, tools: { homes } }: Caller,
  call: Omit<ToolCallRequest, "timeout_ms">,
  deadline: number,
  signal: AbortSignal,
  timeouts: ToolTimeouts,
): Promise<RunnerReply> {
  const startedAt = performance.now();
  let silentSince: number | undefined;
  let lastError = "";
  for (;;) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return { kind: "gave_up", message: `timed out after ${seconds} s${lastError}`, isTimeout: true };
    }
    const home = await homes.find(call.execution_id);
    try {
      const replyMs = Math.min(timeouts.replyMs, left + timeouts.afterDeadlineMs);
      const body = { ...call, timeout_ms: left };
      const subject = home === undefined ? SUBJECTS.toolsCall : SUBJECTS.toolsCallOf(home);
      const { call_id, answer, runner } = await requestReply(bus, subject, CONTRACT, body, replyMs, signal);
      if (runner !== undefined) homes.remember(call.execution_id, runner);
      silentSince = undefined;
      lastError = answer.kind === "busy" ? ` (${answer.message})` : "";
      const isFinal = answer.kind !== "busy" && answer.kind !== "running" && call_id === call.call_id;
      if (isFinal) return answer;
      if (answer.kind === "running") continue;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TerminalError) {
        return { kind: "gave_up", message: errorMessage(error), isTimeout: false };
      }
      if (!(error instanceof RetryableError)) throw error;
      lastError = ` (${error.message})`;
      if (home !== undefined && bus.isConnected()) {
        homes.forget(call.execution_id, home);
        continue;
      }
      if (error.code === "no_responders") {
        silentSince ??= performance.now();
        if (performance.now() - silentSince >= timeouts.noRespondersMs) {
          return { kind: "gave_up", message: "no tool-runner answers", isTimeout: false };
        }
      }
    }
    await pause(jitter(timeouts.retryMs), signal);
  }
}
