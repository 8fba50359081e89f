import { setImmediate as endOfTurn } from "node:timers/promises";
import {
  CancelledError,
  RetryableError,
  TerminalError,
  cancelledByUser,
  errorMessage,
} from "#shared/errors.ts";
import { OTHER_VERSION } from "#shared/contracts/resolved-chain.ts";
import { TERMINAL_STATUSES, isTerminal, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { SessionClaim } from "./session-claim.ts";
import type { ExecutorDeps } from "./core/executor-deps.ts";
import { nextSessionStep, type SessionStep, type WeighReplicas } from "./next-session-step.ts";
import { openOwnedSession, type OwnedSession } from "./core/owned-session.ts";
import { reasonFor } from "./core/session-parts.ts";
import { parkSession } from "./parking/park-session.ts";
import { closeSession } from "./persist/close-session.ts";
import { commitStep, type CommitKind } from "./persist/commit-step.ts";
import { MAX_ATTEMPTS, releaseSession, type Release } from "./persist/release-session.ts";
import { endSession } from "./persist/session-rows.ts";
import { readAgentConclusions } from "./state/agent-conclusions.ts";
import { areAgreed } from "./stage-outcome.ts";
import { completeStage, startReplica, startStage, startSynthesis } from "./persist/stage-rows.ts";
import type { StepRecord } from "./persist/step-record.ts";
import { NO_STEPS, type SessionSteps } from "./core/agent-steps.ts";
import { automaticScore } from "./features/scoring/automatic-score.ts";
import { failFollowUps, runFollowUps } from "./follow-ups/run-follow-ups.ts";
import { runExecutions } from "./run-executions.ts";
import { settleRunbook } from "./settle-runbook.ts";
import { foldSession, type SessionState } from "./state/session-state.ts";
import { summarizeSession } from "./summarize-session.ts";
import type { AgentWait } from "./core/wait.ts";

/** How a run ended for this executor: a terminal status, or why the session continues later. */
export type RunEnd =
  | TerminalStatus
  /** The session had ended before, and so have its follow-ups now. */
  | "followed-up"
  | "released"
  | "waiting"
  | "parked"
  | "interrupted"
  | "deferred"
  | "lost";

/** A session that is interrupted this often without a completed step in between ends as `failed`. */
const MAX_INTERRUPTIONS = 10;

/**
 * Runs a claimed session until it is terminal or no longer owned: derives the next step from its state, performs and
 * commits it, and repeats. Of a session that is terminal already it runs the follow-ups. Never throws: every error becomes
 * a terminal row or a release.
 */
export async function runSession(
  deps: ExecutorDeps,
  claim: SessionClaim,
  signals: { readonly stop: AbortSignal; readonly abort: AbortSignal },
): Promise<RunEnd> {
  await using session = openOwnedSession(deps, claim, signals);
  const outcome = claim.isFollowUp ? await runAfterEnd(session, claim) : await runSteps(session, claim);
  if (TERMINAL_STATUSES.some((status) => status === outcome)) session.tools.homes.releaseAll();
  return outcome;
}

async function runAfterEnd(session: OwnedSession, claim: SessionClaim): Promise<RunEnd> {
  try {
    throwIfGivenUp(claim);
    const wait = await runFollowUps(session);
    if (wait === null) return "followed-up";
    await releaseSession(session, { kind: "waiting", wait });
    session.log.warn({ ...wait }, "follow-ups released: they wait");
    return "waiting";
  } catch (error) {
    return end(session, error, async (_status, reason) => {
      if (reason instanceof TerminalError) await failFollowUps(session, reason);
      await releaseSession(session, { kind: "handover" });
      return "followed-up";
    });
  }
}

async function runSteps(session: OwnedSession, claim: SessionClaim): Promise<RunEnd> {
  try {
    throwIfGivenUp(claim);
    if (session.epoch === 1) {
      // The start is sent before the first step is built, which takes the rest of the turn.
      await session.publisher.settled();
      await endOfTurn();
    }
    for (;;) {
      session.signals.throwIfStopped();
      const { next, ...steps } = await decideSteps(session, []);
      const result = await perform(session, steps, next, claim);
      session.metrics.steps.inc({ kind: next.kind });
      if (result === null) continue;
      if (typeof result === "string") return result;
      await releaseSession(session, { kind: "waiting", wait: result });
      session.log.warn({ ...result }, "session released: it waits");
      return "waiting";
    }
  } catch (error) {
    return end(session, error, (status, reason) => closeSession(session, status, reason));
  }
}

/** Ends early what the session's owner was to do. */
type Close = (
  status: Exclude<TerminalStatus, "completed">,
  reason: CancelledError | TerminalError,
) => Promise<RunEnd>;

function throwIfGivenUp({ attempts, interruptions }: SessionClaim): void {
  if (attempts >= MAX_ATTEMPTS) {
    throw new TerminalError("poison", `given up after ${MAX_ATTEMPTS} attempts that completed no step`);
  }
  if (interruptions >= MAX_INTERRUPTIONS) {
    const text = `given up after ${MAX_INTERRUPTIONS} interruptions without a completed step in between`;
    throw new TerminalError("poison", text);
  }
}

/** A step for which agents or a model are asked, or none. */
type OutsideStep = Extract<
  SessionStep,
  {
    readonly kind:
      | "fetch-runbook"
      | "weigh-replicas"
      | "run-executions"
      | "summarize"
      | "stop-cancelling"
      | "ended";
  }
>;

/** The session's next steps after `before`, which is not committed yet, up to the first that asks others. */
async function decideSteps(
  session: OwnedSession,
  before: readonly StepRecord[],
): Promise<SessionSteps & { readonly next: OutsideStep }> {
  const stored = await session.commitMutex(() => session.memory.state());
  let state = before.map(({ rows }) => rows).reduce(foldSession, stored);
  const steps: StepRecord[] = [];
  const kinds: SessionStep["kind"][] = [];
  let kind: CommitKind = "step";
  const committed = () => kinds.forEach((done) => session.metrics.steps.inc({ kind: done }));
  for (;;) {
    const step = nextSessionStep(state);
    const decided = decideStep(state, step);
    if ("next" in decided) return { steps, kind, committed, ...decided };
    kinds.push(step.kind);
    if (step.kind === "finish") kind = "finish";
    steps.push(decided.record);
    state = foldSession(state, decided.record.rows);
  }
}

function decideStep(
  state: SessionState,
  step: SessionStep,
): { readonly record: StepRecord } | { readonly next: OutsideStep } {
  const { sessionId } = state;
  switch (step.kind) {
    case "start-stage":
      return { record: startStage(sessionId, step) };
    case "start-synthesis":
      return { record: startSynthesis(step.stage, step.agent) };
    case "complete-stage":
      return { record: completeStage(step.stage, step) };
    case "finish":
      return {
        record: endSession(
          sessionId,
          step.outcome,
          { finalAnalysis: step.finalAnalysis },
          automaticScore(state, step.outcome),
        ),
      };
    default:
      return { next: step };
  }
}

/**
 * Commits the steps that were decided and performs the next one. Returns the session's status once it is terminal, what
 * the session waits for if none of its agents can work, else null.
 */
async function perform(
  session: OwnedSession,
  decided: SessionSteps,
  next: OutsideStep,
  { waitedFor }: SessionClaim,
): Promise<TerminalStatus | AgentWait | null> {
  // The steps before and after a stage's only agent are committed with the agent's own.
  const { steps, kind, committed } = decided;
  // An agent that someone has written to reads that from the rows, which must be there.
  const { inboxSeq } = await session.commitMutex(() => session.memory.state());
  const isInboxEmpty = inboxSeq === 0 || steps.length === 0;
  const isOneAgent = next.kind === "run-executions" && next.runs.length === 1 && isInboxEmpty;
  if (steps.length > 0 && !isOneAgent) {
    await commitStep(session, steps, kind);
    committed();
  }
  switch (next.kind) {
    case "run-executions": {
      const wait = await runExecutions(session, next, {
        before: isOneAgent ? decided : NO_STEPS,
        following: (last) => (isOneAgent ? decideSteps(session, last) : Promise.resolve(NO_STEPS)),
      });
      const { status } = await session.commitMutex(() => session.memory.state());
      return isTerminal(status) ? finished(session, status) : wait;
    }
    case "fetch-runbook":
      await settleRunbook(session);
      return null;
    case "weigh-replicas":
      await weighReplicas(session, next);
      return null;
    case "summarize":
      return (await summarizeSession(session, next, waitedFor)) ?? finished(session, "completed");
    case "stop-cancelling":
      throw cancelledByUser();
    case "ended":
      return steps.length > 0 ? finished(session, next.status) : next.status;
    default:
      return next satisfies never;
  }
}

/** Starts one more replica, or what follows if those that have run agree. */
async function weighReplicas(session: OwnedSession, { stage, executionIds, next, agreed }: WeighReplicas) {
  const isEnough = areAgreed(await readAgentConclusions(session.db, executionIds));
  const state = await session.commitMutex(() => session.memory.state());
  const decided = isEnough ? decideStep(state, agreed) : { record: startReplica(stage, next) };
  if ("record" in decided) await commitStep(session, [decided.record]);
}

function finished(session: OwnedSession, status: TerminalStatus): TerminalStatus {
  session.log.info({ status }, "session finished");
  return status;
}

/** Maps the error that stopped a run to a status or a release; the only place that does so. */
async function end(session: OwnedSession, thrown: unknown, close: Close): Promise<RunEnd> {
  const error = reasonFor(session.signals, thrown);
  try {
    if (error instanceof CancelledError) return await endCancelled(session, error, close);
    if (error instanceof TerminalError) {
      session.log.error({ code: error.code, error: error.message }, "session failed");
      return await close("failed", error);
    }
    if (error instanceof RetryableError && error.code === OTHER_VERSION) {
      session.log.warn({ error: error.message }, "session left to an executor of another version");
      await releaseSession(session, { kind: "newer_version" });
      return "deferred";
    }
    const isUnavailable = error instanceof RetryableError || isDatabaseUnavailable(error);
    session.log.error(
      { error: errorMessage(error) },
      isUnavailable ? "session interrupted" : "session run failed",
    );
    await releaseOnceAnswered(session, { kind: isUnavailable ? "interrupted" : "failed" });
    return isUnavailable ? "interrupted" : "deferred";
  } catch (failure) {
    // A concurrent cancel or takeover, or an unavailable database: the lease expires and the sweeper re-dispatches.
    session.log.warn({ error: errorMessage(failure) }, "session left to the next owner");
    return "lost";
  }
}

/** As long as a lease of production: a restart of the database takes as long in tests. */
const RELEASE_WITHIN_MS = 20_000;
const RELEASE_RETRIES = { firstMs: 250, lastMs: 1_000 };

/**
 * Releases a session although the database may be restarting: a lease that is released once it answers need not expire
 * first, and until it expires the session's wake-up keeps others from running.
 */
async function releaseOnceAnswered(session: OwnedSession, release: Release): Promise<void> {
  const until = performance.now() + RELEASE_WITHIN_MS;
  for (let retry = 1; ; retry += 1) {
    try {
      await releaseSession(session, release);
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() >= until) throw error;
      await pause(backoff(retry, RELEASE_RETRIES), session.signals.stopping);
    }
  }
}

async function endCancelled(session: OwnedSession, error: CancelledError, close: Close): Promise<RunEnd> {
  switch (error.reason) {
    case "user":
      return close("cancelled", error);
    case "session_deadline":
      return close("timed_out", error);
    case "shutdown":
      await releaseSession(session, { kind: "handover" });
      return "released";
    case "parked":
      if (await parkSession(session)) {
        session.log.info("session parked");
        return "parked";
      }
      // The request was taken back, or the session is to be cancelled.
      await releaseSession(session, { kind: "handover" });
      return "released";
    case "lease_lost":
    case "iteration_deadline":
      session.log.warn({ error: error.message }, "session left to its new owner");
      return "lost";
    default:
      return error.reason satisfies never;
  }
}
