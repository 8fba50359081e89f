import pLimit from "p-limit";
import { serveRequests } from "#shared/bus/request.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { snapshotReplyCodec, snapshotRequestCodec } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { CancelledError, cancelledByUser } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import type { Features } from "./feature.ts";
import type { SessionClaim } from "../session-claim.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import type { ExecutorMetrics } from "../executor-metrics.ts";
import { InboxWatch, readInboxSeq } from "./inbox-watch.ts";
import { watchParking } from "../parking/watch-parking.ts";
import type { SessionWriter } from "../persist/session-writer.ts";
import { answerSnapshot } from "../stream/answer-snapshot.ts";
import { SessionMemory } from "../state/session-memory.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { loadSession, sessionState, type SessionState } from "../state/session-state.ts";
import { openLiveStreams, type LiveStreams } from "../stream/live-streams.ts";
import { openEventPublisher } from "../stream/publish-events.ts";
import { ToolHomes } from "../tools/tool-homes.ts";
import type { SessionClock, SessionLlm, SessionMasker, SessionTools, Signals } from "./session-parts.ts";

/** A session owned by this executor, with everything that its steps need. */
export interface OwnedSession extends SessionWriter, AsyncDisposable {
  readonly bus: Bus;
  readonly metrics: ExecutorMetrics;
  readonly features: Features;
  readonly signals: Signals;
  readonly clock: SessionClock;
  readonly llm: SessionLlm;
  readonly tools: SessionTools;
  readonly masking: SessionMasker;
  /** The timeline's next number of each execution that has ended by a step of this owner. */
  readonly nextSequences: Map<string, number>;
  /** Whether every state in memory is compared with the rows after each commit. */
  readonly verifiesState: boolean;
  /** The pause before another try: in milliseconds, and ended by a signal. */
  readonly pause: typeof pause;
}

/**
 * How long a running step of a session that is to park may go on. Then a call of the model is aborted, and made again once the session goes
 * on; a tool call is left to its runner, whose record the next owner reads.
 */
const PARK_GRACE_MS = 2_000;

/** More than the LLM calls that one owner makes for a session. */
const ATTEMPTS_PER_OWNER = 10_000;

/**
 * Opens a claimed session: holds its lease, arms its deadline, opens its publisher and answers snapshot requests. It
 * cannot fail. Disposal flushes the publisher and releases everything in reverse order.
 */
export function openOwnedSession(
  deps: ExecutorDeps,
  claim: SessionClaim,
  { stop: draining, abort }: { readonly stop: AbortSignal; readonly abort: AbortSignal },
): OwnedSession {
  const openedAt = performance.now();
  const { sessionId, epoch, step, isFollowUp, sessionTimeoutMs, deadlineInMs, databaseTimeMs, events } =
    claim;
  const { config, db, bus, metrics, masker, features } = deps;
  const { verifiesState, holidays, toolCallMs, maskingRules: rules } = config;
  const isFirstOwner = epoch === 1;
  const log = deps.log.child({ epoch });
  const controller = new AbortController();
  const cancelled = AbortSignal.any([controller.signal, abort]);
  const stop = (reason: CancelledError) => controller.abort(reason);
  const resources = new AsyncDisposableStack();
  const inbox = new InboxWatch();
  holdLease(deps, { sessionId, epoch, isFollowUp }, { stop, inbox });
  resources.defer(() => deps.leases.forget(sessionId, epoch));
  const publisher = resources.use(openEventPublisher({ db, bus, log, sessionId, isFirstOwner }));
  publisher.publish(events);
  const streams = resources.use(openLiveStreams({ bus, sessionId, publisher, atOnceMs: deps.atOnceMs }));
  resources.defer(serveSnapshots(bus, sessionId, streams));
  const atDeadline = () =>
    stop(new CancelledError("session_deadline", `session timed out after ${sessionTimeoutMs / 1_000} s`));
  // The session's own time is over; each follow-up has its own.
  if (!isFollowUp) {
    resources.adopt(setTimeout(atDeadline, Math.max(0, deadlineInMs)), (timer) => clearTimeout(timer));
  }
  const parking = isFollowUp
    ? draining
    : parkingSignal(resources, claim, { watched: { db, inbox, log, sessionId, epoch }, stop });
  const stopping = AbortSignal.any([draining, parking]);
  return {
    sessionId,
    epoch,
    lastSteps: new Set([step]),
    db,
    bus,
    log,
    metrics,
    onFollowUp: deps.onFollowUp,
    features,
    commitMutex: pLimit(1),
    memory: new SessionMemory({ load: loadFirst(db, claim), verifies: verifiesState }),
    inbox,
    publisher,
    streams,
    stop,
    signals: {
      cancelled,
      stopping,
      throwIfStopped: () => {
        cancelled.throwIfAborted();
        stopping.throwIfAborted();
      },
    },
    clock: {
      timeoutMs: sessionTimeoutMs,
      timeLeftMs: () => deadlineInMs - (performance.now() - openedAt),
      databaseNow: () => databaseTimeMs + (performance.now() - openedAt),
      now: deps.now ?? Date.now,
      holidays,
    },
    llm: sessionLlm(deps, claim),
    tools: {
      homes: new ToolHomes({ db, bus, sessionId, isFirstOwner }),
      audit: deps.audit,
      callMs: toolCallMs,
      source: claim.toolSource,
    },
    masking: { masker, rules },
    nextSequences: new Map(),
    verifiesState,
    pause: deps.pause ?? pause,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Reads the session's rows; for the first time, those that its claim has read, if it has. */
function loadFirst(db: Queryable, { sessionId, state: claimed }: SessionClaim): () => Promise<SessionState> {
  let row = claimed;
  return async () => {
    if (row === null) return loadSession(db, sessionId);
    const read = row;
    row = null;
    return sessionState(db, sessionId, read);
  };
}

function sessionLlm(
  { config, llm: client, circuits, budgets }: ExecutorDeps,
  { epoch, limitedBy }: SessionClaim,
): SessionLlm {
  const { maxMessageBytes, costEstimation, llmTries: tries, readVariable } = config;
  let attempts = 0;
  return {
    client,
    circuits,
    maxMessageBytes,
    costEstimation,
    tries,
    readVariable,
    budgetRules: () => budgets.rulesOf(limitedBy),
    nextAttempt: () => {
      attempts += 1;
      return (epoch - 1) * ATTEMPTS_PER_OWNER + attempts;
    },
  };
}

/** Answers requests for the texts that are streamed, until the returned function is called. */
function serveSnapshots(bus: Bus, sessionId: string, streams: LiveStreams): () => void {
  const snapshots = serveRequests(
    bus,
    { subject: SUBJECTS.snapshot(sessionId) },
    { request: snapshotRequestCodec, reply: snapshotReplyCodec },
    (request) => answerSnapshot(sessionId, streams, request),
  );
  return () => snapshots.unsubscribe();
}

/** Aborts once the session is to park; `stop` follows after the grace period. */
function parkingSignal(
  resources: AsyncDisposableStack,
  { isAskedToPark, inboxSeq }: SessionClaim,
  {
    watched,
    stop,
  }: {
    readonly watched: Parameters<typeof watchParking>[0];
    readonly stop: (reason: CancelledError) => void;
  },
): AbortSignal {
  const parking = new AbortController();
  const park = () => {
    const reason = new CancelledError("parked", "the session gives its place up");
    parking.abort(reason);
    resources.adopt(
      setTimeout(() => stop(reason), PARK_GRACE_MS),
      (timer) => clearTimeout(timer),
    );
  };
  if (isAskedToPark) park();
  else resources.use(watchParking(watched, inboxSeq, park));
  return parking.signal;
}

/** Only the follow-ups of an ended session can be cancelled; the rows say which. */
function holdLease(
  { db, leases }: ExecutorDeps,
  { sessionId, epoch, isFollowUp }: Pick<SessionClaim, "sessionId" | "epoch" | "isFollowUp">,
  { stop, inbox }: { readonly stop: (reason: CancelledError) => void; readonly inbox: InboxWatch },
): void {
  const noticeInbox = (seq: number) => inbox.notice(seq);
  const readNews = () => {
    // If the read fails, the lease's renewal reports it.
    readInboxSeq(db, sessionId).then(noticeInbox, () => undefined);
  };
  const cancel = isFollowUp ? readNews : () => stop(cancelledByUser());
  leases.hold({ sessionId, epoch, stop, cancel, noticeInbox });
}
