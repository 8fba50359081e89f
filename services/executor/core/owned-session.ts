import pLimit from "p-limit";
import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import { serveRequests } from "#shared/bus/request.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { snapshotReplyCodec, snapshotRequestCodec } from "#shared/contracts/stream-chunk.ts";
import type { ToolSource } from "#shared/contracts/recorded-tools.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { CancelledError, TerminalError, cancelledByUser, coerceError } from "#shared/errors.ts";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Masker } from "#shared/masking/masker.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { pause } from "#shared/pause.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { Features } from "./feature.ts";
import type { BudgetRule } from "../persist/reserve-budget.ts";
import type { SessionClaim } from "../session-claim.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import type { ExecutorMetrics } from "../executor-metrics.ts";
import { InboxWatch, readInboxSeq } from "./inbox-watch.ts";
import { watchParking } from "../parking/watch-parking.ts";
import type { ProviderCircuits } from "../llm/provider-circuits.ts";
import type { ReadVariable } from "../prompts/variable-placeholders.ts";
import type { SessionWriter } from "../persist/session-writer.ts";
import { answerSnapshot } from "../stream/answer-snapshot.ts";
import { SessionMemory } from "../state/session-memory.ts";
import { loadSession } from "../state/session-state.ts";
import { openLiveStreams, type LiveStreams } from "../stream/live-streams.ts";
import { openEventPublisher } from "../stream/publish-events.ts";
import { ToolHomes } from "../tools/tool-homes.ts";
import type { DatabaseClock } from "./wait.ts";

/** A session owned by this executor: everything its steps need, and the signal that cancels them. */
export interface OwnedSession extends SessionWriter, DatabaseClock, AsyncDisposable {
  readonly audit: AuditLog;
  readonly bus: Bus;
  readonly llm: LLMServiceClient;
  /** Which LLM providers are away. */
  readonly circuits: ProviderCircuits;
  /** The largest message to the llm-gateway, in bytes. */
  readonly maxMessageBytes: number;
  readonly metrics: ExecutorMetrics;
  readonly features: Features;
  readonly homes: ToolHomes;
  /** Looks up a variable that the configuration inserts into instructions. */
  readonly readVariable: ReadVariable;
  readonly masker: Masker;
  /** By server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  /** How LLM calls are priced. */
  readonly costEstimation: CostEstimation;
  /** The budgets that its LLM calls count against, as far as they are known now; empty if nothing limits it. */
  budgetRules(): readonly BudgetRule[];
  /** How often the llm-gateway tries a call. */
  readonly llmTries: number;
  /**
   * Aborts with a CancelledError: user, session deadline, lost lease, or the end of the grace period of a stop or of a request to
   * park.
   */
  readonly signal: AbortSignal;
  /** Aborts with a CancelledError once the executor stops or the session is to park; running steps have a grace period. */
  readonly stopping: AbortSignal;
  /** The session's total time, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether its tool calls are made, or answered from what is recorded. */
  readonly toolSource: ToolSource;
  /** The longest tool call, whatever its server allows, in milliseconds. */
  readonly toolCallMs: number;
  /** Whether every state in memory is compared with the rows after each commit. */
  readonly verifiesState: boolean;
  /** The present for agents, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly holidays: readonly Holiday[];
  /** The pause before another try: in milliseconds, and ended by a signal. */
  readonly pause: typeof pause;
  /** Milliseconds until the session's deadline. */
  timeLeftMs(): number;
  /**
   * The number of the next try of an LLM call. It rises over all tries and owners, because readers of streamed text
   * discard what an earlier try wrote.
   */
  nextLlmAttempt(): number;
  /** Throws at a step's boundary if the session is cancelled or the executor is stopping. */
  throwIfStopped(): void;
  /** The error that explains `thrown`: a verdict stays; another error that followed from a cancel becomes its reason. */
  reasonFor(thrown: unknown): Error;
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
  const { sessionId, epoch, isFollowUp, sessionTimeoutMs, deadlineInMs, databaseTimeMs, events } = claim;
  const { audit, db, bus, llm, circuits, budgets, metrics, masker, features } = deps;
  const log = deps.log.child({ epoch });
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, abort]);
  const stop = (reason: CancelledError) => controller.abort(reason);
  const resources = new AsyncDisposableStack();
  const inbox = new InboxWatch();
  holdLease(deps, { sessionId, epoch, isFollowUp }, { stop, inbox });
  resources.defer(() => deps.leases.forget(sessionId));
  const publisher = resources.use(openEventPublisher({ db, bus, log, sessionId, isFirstOwner: epoch === 1 }));
  publisher.publish(events);
  const streams = resources.use(openLiveStreams({ bus, sessionId, publisher }));
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
  let attempts = 0;
  return {
    sessionId,
    epoch,
    timeoutMs: sessionTimeoutMs,
    timeLeftMs: () => deadlineInMs - (performance.now() - openedAt),
    databaseNow: () => databaseTimeMs + (performance.now() - openedAt),
    nextLlmAttempt: () => {
      attempts += 1;
      return (epoch - 1) * ATTEMPTS_PER_OWNER + attempts;
    },
    audit,
    db,
    bus,
    llm,
    circuits,
    log,
    metrics,
    features,
    homes: new ToolHomes({ db, bus, sessionId, isFirstOwner: epoch === 1 }),
    masker,
    budgetRules: () => budgets.rulesOf(claim.limitedBy),
    ...settingsOf(deps),
    signal,
    stopping,
    commitMutex: pLimit(1),
    memory: new SessionMemory({
      load: () => loadSession(db, sessionId),
      verifies: deps.config.verifiesState,
    }),
    toolSource: claim.toolSource,
    inbox,
    publisher,
    streams,
    stop,
    throwIfStopped: () => {
      signal.throwIfAborted();
      stopping.throwIfAborted();
    },
    reasonFor: (thrown) => reasonFor(signal, thrown),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The error that explains `thrown` in work that this signal cancels. */
export function reasonFor(signal: AbortSignal, thrown: unknown): Error {
  if (thrown instanceof CancelledError || thrown instanceof TerminalError) return thrown;
  return coerceError(signal.aborted ? signal.reason : thrown);
}

/** The members that are the same for every session of an executor. */
function settingsOf({ config, now = Date.now, pause: pauseOf = pause }: ExecutorDeps) {
  const { maxMessageBytes, readVariable, maskingRules, costEstimation, holidays, llmTries } = config;
  const { toolCallMs, verifiesState } = config;
  return {
    maxMessageBytes,
    readVariable,
    maskingRules,
    costEstimation,
    holidays,
    llmTries,
    toolCallMs,
    verifiesState,
    now,
    pause: pauseOf,
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

/** Of an ended session only its follow-ups can be cancelled: the rows say which. */
function holdLease(
  { db, leases }: ExecutorDeps,
  { sessionId, epoch, isFollowUp }: Pick<SessionClaim, "sessionId" | "epoch" | "isFollowUp">,
  { stop, inbox }: { readonly stop: (reason: CancelledError) => void; readonly inbox: InboxWatch },
): void {
  const noticeInbox = (seq: number) => inbox.notice(seq);
  const readNews = () => {
    // Without an answer the lease's renewal tells.
    readInboxSeq(db, sessionId).then(noticeInbox, () => undefined);
  };
  const cancel = isFollowUp ? readNews : () => stop(cancelledByUser());
  leases.hold({ sessionId, epoch, stop, cancel, noticeInbox });
}
