import { setTimeout as wait } from "node:timers/promises";
import { v5 as uuidFrom } from "uuid";
import { cancelToolCall } from "#shared/bus/cancel-tool-call.ts";
import { MAX_ARGUMENTS_CHARS, MAX_RESULT_BYTES, type ToolCallAnswer } from "#shared/contracts/tool-call.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { claimToolCall } from "#shared/database/claim-tool-call.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { CancelledError, TerminalError } from "#shared/errors.ts";
import { askToolRunner, type FinalAnswer, type GaveUp } from "./ask-tool-runner.ts";
import type { OwnedSession } from "../owned-session.ts";
import { PATIENCE, type ToolPatience } from "./tool-timeouts.ts";

/** A call as the model asked for it. */
export interface ToolCallOrder {
  /** A UUID that is the same whoever makes this call of the conversation, so that it is made once. */
  readonly callId: string;
  readonly executionId: string;
  /** "server.tool" */
  readonly name: string;
  /** JSON text, or whatever the model wrote. */
  readonly arguments: string;
  /** What is left of the iteration's time. */
  readonly timeoutMs: number;
  /** The provider's limit; longer results are cut. */
  readonly maxResultTokens: number;
}

/** What a call came to; the model is told about each of these. */
export type ToolOutcome =
  /** The tool answered; `isError` says that it reported a failure of its own. */
  | { readonly kind: "result"; readonly content: string; readonly isError: boolean }
  /** Not among the tools this agent may call: nobody was asked. */
  | { readonly kind: "unknown_tool"; readonly message: string }
  /**
   * The call could not be made or did not end well. `mayHaveRun` is true where the tool was started, so that it is not
   * known whether it took effect; the message, one sentence, says so for tools that are not read-only.
   */
  | {
      readonly kind: "exception";
      readonly message: string;
      readonly isTimeout: boolean;
      readonly mayHaveRun: boolean;
    };

type Caller = Pick<OwnedSession, "sessionId" | "epoch" | "db" | "bus" | "log" | "signal">;

const CHARS_PER_TOKEN = 4;
/** One more for each time that a call was given up before it ran, or a read-only one was interrupted. */
const MAX_ATTEMPTS = 100;
const RECORD_POLL_MS = 25;

/**
 * Makes a call of one of `tools`, or takes what was recorded of it before: asking again, by this executor or the next,
 * never runs it twice. What was abandoned, and what is read-only and lost its runner, is made again under a new id.
 *
 * Once `signal` (the session's, perhaps with the iteration's) aborts, the running call is ended too, except by a lost
 * lease or a stop: then it goes on, and the next owner gets its result. Throws the signal's reason, but an iteration's
 * deadline is a timeout like the call's own. Throws CancelledError when the session is not ours any more.
 */
export async function callTool(
  session: Caller,
  tools: readonly ToolDescription[],
  order: ToolCallOrder,
  signal: AbortSignal,
  patience: ToolPatience = PATIENCE,
): Promise<ToolOutcome> {
  const tool = tools.find(({ name }) => name === order.name);
  if (tool === undefined) return { kind: "unknown_tool", message: `unknown tool "${order.name}"` };
  if (order.arguments.length > MAX_ARGUMENTS_CHARS) {
    const content = `The arguments have ${order.arguments.length} characters: at most ${MAX_ARGUMENTS_CHARS} are allowed.`;
    return { kind: "result", content, isError: true };
  }
  const deadline = performance.now() + order.timeoutMs;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const made: MadeCall = { session, tool, order, callId: attemptId(order.callId, attempt), patience };
    const answer = await makeCall(made, deadline, signal);
    const isToBeMadeAgain =
      answer.kind === "interrupted" || (answer.kind === "refused" && answer.reason === "abandoned");
    if (!isToBeMadeAgain) return toOutcome(made, answer);
    session.log.info({ call_id: made.callId, attempt, why: answer.kind }, "tool call is made again");
  }
  return failure(`the call was given up ${MAX_ATTEMPTS} times`, { mayHaveRun: true });
}

/** The id of a call's nth attempt, from 1. */
export function attemptId(callId: string, attempt: number): string {
  return attempt === 1 ? callId : uuidFrom(`attempt:${attempt}`, callId);
}

interface MadeCall {
  readonly session: Caller;
  readonly tool: ToolDescription;
  readonly order: ToolCallOrder;
  readonly callId: string;
  readonly patience: ToolPatience;
}

async function makeCall(call: MadeCall, deadline: number, signal: AbortSignal): Promise<FinalAnswer> {
  const { session, order, callId, patience } = call;
  const { sessionId, epoch } = session;
  const onAbort = () => endRunningCall(call, signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const answer = await askToolRunner(
      session.bus,
      {
        call_id: callId,
        session_id: sessionId,
        execution_id: order.executionId,
        epoch,
        name: order.name,
        arguments: order.arguments,
        max_result_chars: Math.min(
          MAX_RESULT_BYTES,
          Math.max(1_000, order.maxResultTokens * CHARS_PER_TOKEN),
        ),
      },
      deadline,
      signal,
      patience,
    );
    return answer.kind === "gave_up" ? await settleUnanswered(call, answer) : answer;
  } catch (error) {
    if (!isIterationDeadline(signal)) throw error;
    const message = `timed out after ${((order.timeoutMs - (deadline - performance.now())) / 1_000).toFixed(1)} s`;
    return await settleUnanswered(call, { kind: "gave_up", message, isTimeout: true });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function isIterationDeadline({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof CancelledError && reason.reason === "iteration_deadline";
}

function endRunningCall({ session, callId }: MadeCall, reason: unknown): void {
  const why = reason instanceof CancelledError ? reason.reason : "user";
  if (why === "lease_lost" || why === "shutdown") return; // the next owner wants the result
  const isDeadline = why === "iteration_deadline" || why === "session_deadline";
  cancelToolCall(session.bus, {
    call_id: callId,
    epoch: session.epoch,
    reason: isDeadline ? "deadline" : "cancelled",
  });
}

/**
 * Nobody answered in time. The id is abandoned: if that succeeds the call never ran and never will. Otherwise its row
 * says how it ended, perhaps in a moment, or that it still runs, wherever that is.
 */
async function settleUnanswered(call: MadeCall, { message, isTimeout }: GaveUp): Promise<FinalAnswer> {
  const { session, tool, order, callId, patience } = call;
  const claim = await claimToolCall(
    session.db,
    {
      callId,
      sessionId: session.sessionId,
      executionId: order.executionId,
      epoch: session.epoch,
      name: order.name,
      readOnly: tool.read_only,
    },
    "abandoned",
  );
  if (claim.kind === "refused") return claim;
  const neverRan: FinalAnswer = { kind: "not_made", message: `${message}; the call was not made`, isTimeout };
  if (claim.kind === "claimed") return neverRan;
  cancelToolCall(session.bus, { call_id: callId, epoch: session.epoch, reason: "deadline" });
  let { progress } = claim.call;
  for (const until = performance.now() + patience.afterDeadlineMs; progress.kind === "running";) {
    if (performance.now() >= until) {
      const doubt = tool.read_only ? "" : "; whether it took effect is not known";
      return { kind: isTimeout ? "timeout" : "outcome_unknown", message: `${message}${doubt}` };
    }
    await wait(RECORD_POLL_MS, undefined, { signal: session.signal }).catch(() =>
      session.signal.throwIfAborted(),
    );
    progress = (await readToolCall(session.db, callId))?.progress ?? progress;
  }
  return progress.kind === "abandoned" ? neverRan : progress.outcome;
}

async function toOutcome(call: MadeCall, answer: FinalAnswer): Promise<ToolOutcome> {
  switch (answer.kind) {
    case "result":
      return { kind: "result", content: answer.content, isError: answer.is_error };
    case "stored":
      return toOutcome(call, await readStored(call));
    case "unknown_tool":
      return failure(`the tool-runner does not know the tool "${call.order.name}" any more`, {});
    case "refused":
      throw refusal(answer.reason, call.callId);
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

async function readStored({ session, callId }: MadeCall): Promise<FinalAnswer> {
  const call = await readToolCall(session.db, callId);
  if (call?.progress.kind === "over") return call.progress.outcome;
  throw new TerminalError("malformed", `tool call ${callId} was said to be stored, but is not`);
}

function refusal(
  reason: Extract<ToolCallAnswer, { kind: "refused" }>["reason"],
  callId: string,
): CancelledError | TerminalError {
  switch (reason) {
    case "session_cancelled":
      return new CancelledError("user", "cancelled by the user");
    case "not_owner":
    case "abandoned":
      return new CancelledError("lease_lost", "another executor took the session over");
    case "id_taken":
      return new TerminalError("id_taken", `tool call id ${callId} belongs to another call`);
    default:
      return reason satisfies never;
  }
}
