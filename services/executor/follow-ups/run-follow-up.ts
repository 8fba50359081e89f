import { parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { CancelledError, TerminalError, cancelledByUser, errorMessage } from "#shared/errors.ts";
import { NO_STEPS, type SessionSteps } from "../core/agent-steps.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { reasonFor } from "../core/session-parts.ts";
import { commitStep } from "../persist/commit-step.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { runExecutions } from "../run-executions.ts";
import { foldSession, type FollowUpState, type SessionState } from "../state/session-state.ts";
import { addVectors } from "../features/memories/query-vector.ts";
import { loadLessons } from "../features/memories/load-lessons.ts";
import { checkedScore } from "../features/scoring/checked-score.ts";
import { lessonsIn } from "../features/scoring/read-score.ts";
import {
  loadReplies,
  endFollowUp,
  startFollowUp,
  nextFollowUpStep,
  type FollowUpStep,
} from "./follow-up-steps.ts";
import type { AgentWait } from "../core/wait.ts";
import { closeFollowUp } from "./close-follow-up.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";

interface FollowUpRequest {
  readonly followUp: FollowUpState;
  /** Throws between two steps if the session cannot go on. */
  readonly throwIfStopped: () => void;
  /** Called with a function that stops the follow-up alone, and with undefined at the end. */
  readonly stoppable: (stop: ((reason: CancelledError) => void) | undefined) => void;
}

/**
 * Runs a follow-up until its row is terminal, and returns null, or what it waits for. Its own errors, its cancel and its
 * deadline end it and nothing else. Throws what concerns the session: a lost lease, a stop, an unavailable dependency.
 */
export async function runFollowUp(
  session: OwnedSession,
  request: FollowUpRequest,
): Promise<AgentWait | null> {
  const { followUp } = request;
  const writer = { ...session, followUpId: followUp.follow_up_id, stop: stopOnlySession(session) };
  try {
    await start(writer, followUp);
    const wait = await runStarted(session, request);
    if (wait === null && followUp.kind !== "chat") await addMeanings(session, followUp);
    return wait;
  } catch (thrown) {
    const error = reasonFor(session.signals, thrown);
    if (error instanceof TerminalError) {
      await closeFollowUp(writer, followUp, "failed", error);
    } else if (error instanceof CancelledError && error.reason === "user") {
      await closeFollowUp(writer, followUp, "cancelled", error);
    } else if (error instanceof CancelledError && error.reason === "session_deadline") {
      await closeFollowUp(writer, followUp, "timed_out", error);
    } else {
      throw error;
    }
    return null;
  }
}

/** Gives what was learned its vectors. After a failure or a stop, memories get theirs when others are looked for. Never throws. */
async function addMeanings(session: OwnedSession, { resolved_config }: FollowUpState): Promise<void> {
  try {
    const { memory } = parseResolvedChain(resolved_config);
    if (memory?.embedding !== undefined) await addVectors(session, memory.embedding);
  } catch (error) {
    session.log.warn({ error: errorMessage(error) }, "what was learned has no vectors yet");
  }
}

/** A fence that refuses because the follow-up is cancelled must not stop the session's others. */
function stopOnlySession(session: OwnedSession): OwnedSession["stop"] {
  return (reason) => {
    if (reason.reason !== "user") session.stop(reason);
  };
}

async function start(session: OwnedSession, followUp: FollowUpState): Promise<void> {
  session.signals.throwIfStopped();
  const step = nextFollowUpStep(await stateOf(session), followUp.follow_up_id);
  if (step.kind === "stop-cancelling") throw cancelledByUser();
  if (step.kind === "start") {
    await commitStep(session, startFollowUp(session.sessionId, step.followUp, step.timeoutMs));
  }
}

async function runStarted(
  session: OwnedSession,
  { followUp, throwIfStopped, stoppable }: FollowUpRequest,
): Promise<AgentWait | null> {
  using owned = await ownFollowUp(session, followUp, throwIfStopped);
  const { session: own } = owned;
  const next = async (last: readonly StepRecord[] = []) =>
    nextFollowUpStep(
      last.map(({ rows }) => rows).reduce(foldSession, await stateOf(own)),
      followUp.follow_up_id,
    );
  stoppable(owned.stop);
  try {
    for (;;) {
      own.signals.throwIfStopped();
      const step = await next();
      switch (step.kind) {
        case "run-executions": {
          const following = async (last: readonly StepRecord[]) => completion(own, await next(last), last);
          const wait = await runExecutions(own, step, { before: NO_STEPS, following });
          if (wait !== null) return wait;
          break;
        }
        case "complete":
          await commitStep(own, (await completion(own, step, [])).steps);
          break;
        case "stop-cancelling":
          throw cancelledByUser();
        case "ended":
          return null;
        case "start":
          throw new TerminalError("malformed", `follow-up ${followUp.follow_up_id} has not started`);
        default:
          return step satisfies never;
      }
    }
  } catch (error) {
    throw reasonFor(own.signals, error);
  } finally {
    stoppable(undefined);
  }
}

/** The end of the follow-up, to be committed with that of its agent. */
async function completion(
  session: OwnedSession,
  step: FollowUpStep,
  last: readonly StepRecord[],
): Promise<SessionSteps> {
  if (step.kind !== "complete") return NO_STEPS;
  const { followUp, stage, outcome } = step;
  const replies = followUp.kind === "chat" ? [] : await loadReplies(session.db, stage, last);
  const isLearned = outcome.status === "completed";
  const learned = isLearned ? await lessonSteps(session, { followUp, stage }, replies) : [];
  const judged = await checkedScore(session.db, session.sessionId, replies);
  const steps = [...learned, ...endFollowUp(followUp, stage, outcome, judged)];
  return { steps, kind: "step", committed: () => undefined };
}

/** The step that stores what was learned; none if there is nothing to learn from. */
async function lessonSteps(
  session: OwnedSession,
  { followUp, stage }: Pick<Extract<FollowUpStep, { kind: "complete" }>, "followUp" | "stage">,
  replies: Awaited<ReturnType<typeof loadReplies>>,
): Promise<StepRecord[]> {
  const origin = followUp.kind === "score" ? "investigation" : "feedback";
  const reply = followUp.kind === "score" ? lessonsIn(replies) : lastReply(replies);
  return reply === null ? [] : [await loadLessons(session, stage, { origin, reply })];
}

function lastReply(replies: Awaited<ReturnType<typeof loadReplies>>): string | null {
  return replies.findLast(({ role }) => role === "assistant")?.content ?? null;
}

async function stateOf(session: OwnedSession): Promise<SessionState> {
  return session.commitMutex(() => session.memory.state());
}

/** A follow-up as its executor runs it: the session that it owns, with the follow-up's own cancel, deadline and fence. */
interface OwnedFollowUp extends Disposable {
  readonly session: OwnedSession;
  /** Ends the follow-up for this reason, and nothing else of the session. */
  readonly stop: (reason: CancelledError) => void;
}

const parseDeadline = compileParser(
  "deadline of a follow-up",
  Type.Object({
    left_ms: Type.Union([Type.Number(), Type.Null()]),
    timeout_ms: Type.Union([Type.Number(), Type.Null()]),
  }),
);

const DEADLINE = `
SELECT (extract(epoch FROM deadline_at - clock_timestamp()) * 1000)::float8 AS left_ms,
       (extract(epoch FROM deadline_at - started_at) * 1000)::float8 AS timeout_ms
FROM follow_ups WHERE follow_up_id = $1`;

/** The longest time that a timer can be set for, in milliseconds. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Opens a follow-up that has started. `throwIfStopped`, called at the boundary of each step, is in addition to its own signals.
 * Throws database errors.
 */
async function ownFollowUp(
  session: OwnedSession,
  { follow_up_id: followUpId, kind }: FollowUpState,
  throwIfStopped: () => void,
): Promise<OwnedFollowUp> {
  const [row] = await selectRows(session.db, parseDeadline, DEADLINE, [followUpId]);
  const openedAt = performance.now();
  const leftMs = row?.left_ms ?? Infinity;
  const timeoutMs = row?.timeout_ms ?? Infinity;
  const controller = new AbortController();
  const cancelled = AbortSignal.any([session.signals.cancelled, controller.signal]);
  const stop = (reason: CancelledError) => controller.abort(reason);
  const atDeadline = () =>
    stop(
      new CancelledError("session_deadline", `${kind} timed out after ${Math.round(timeoutMs / 1_000)} s`),
    );
  const timer = leftMs <= MAX_TIMER_MS ? setTimeout(atDeadline, Math.max(0, leftMs)) : undefined;
  const own: OwnedSession = {
    ...session,
    followUpId,
    clock: { ...session.clock, timeoutMs, timeLeftMs: () => leftMs - (performance.now() - openedAt) },
    // A cancel is that of the follow-up; a lost lease is that of the session.
    stop: (reason) => (reason.reason === "user" ? stop(reason) : session.stop(reason)),
    signals: {
      ...session.signals,
      cancelled,
      throwIfStopped: () => {
        cancelled.throwIfAborted();
        session.signals.throwIfStopped();
        throwIfStopped();
      },
    },
  };
  return { session: own, stop, [Symbol.dispose]: () => clearTimeout(timer) };
}
