import pLimit, { type LimitFunction } from "p-limit";
import type { DataSource } from "typeorm";
import { serveRequests } from "#shared/bus/request.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { snapshotReplyCodec, snapshotRequestCodec } from "#shared/contracts/stream-snapshot.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { CancelledError, TerminalError, coerceError } from "#shared/errors.ts";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/logger.ts";
import type { SessionClaim } from "./claim-session.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import type { ExecutorMetrics } from "./executor-metrics.ts";
import { answerSnapshot } from "./stream/answer-snapshot.ts";
import { openLiveStreams, type LiveStreams } from "./stream/live-streams.ts";
import { openEventPublisher, type EventPublisher } from "./stream/publish-events.ts";

/** A session while this executor owns it: everything its steps need, and the signal that calls them off. */
export interface OwnedSession extends AsyncDisposable {
  readonly sessionId: string;
  readonly epoch: number;
  readonly db: DataSource;
  readonly bus: Bus;
  readonly llm: LLMServiceClient;
  /** What one message to the llm-gateway may hold. */
  readonly maxMessageBytes: number;
  readonly log: Logger;
  readonly metrics: ExecutorMetrics;
  /** Aborts with a CancelledError: user, session deadline, lost lease, or the end of the stop's grace. */
  readonly signal: AbortSignal;
  /**
   * Commits go through here one at a time: agents that run beside each other would wait for one row all the same, each
   * with a connection in its hand.
   */
  readonly commits: LimitFunction;
  readonly publisher: EventPublisher;
  readonly streams: LiveStreams;
  /** Calls the work off; the first reason stays. */
  stop(reason: CancelledError): void;
  /** Throws at a step's boundary when the work is called off or the executor is to stop. */
  throwIfStopped(): void;
  /** The reason of the session's own signal, where there is one, explains any error that followed from it. */
  reasonFor(thrown: unknown): Error;
}

/**
 * Takes charge of a claimed session: renews its lease, arms its deadline, opens its publisher and answers for its
 * streams. Touches nothing that can fail. Disposal flushes what was to be published and lets go.
 */
export function openOwnedSession(
  deps: ExecutorDeps,
  { sessionId, epoch, sessionTimeoutMs, deadlineInMs, events }: SessionClaim,
  { stop: draining, abort }: { readonly stop: AbortSignal; readonly abort: AbortSignal },
): OwnedSession {
  const { db, bus, llm, metrics } = deps;
  const log = deps.log.child({ epoch });
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, abort]);
  const stop = (reason: CancelledError) => controller.abort(reason);
  const resources = new AsyncDisposableStack();
  deps.leases.hold({ sessionId, epoch, stop });
  resources.defer(() => deps.leases.forget(sessionId));
  const publisher = resources.use(openEventPublisher({ db, bus, log, sessionId, isFirstOwner: epoch === 1 }));
  publisher.publish(events);
  const streams = resources.use(openLiveStreams({ bus, sessionId, publisher }));
  const snapshots = serveRequests(
    bus,
    { subject: SUBJECTS.snapshot(sessionId) },
    { request: snapshotRequestCodec, reply: snapshotReplyCodec },
    (request) => answerSnapshot(sessionId, streams, request),
  );
  resources.defer(() => snapshots.unsubscribe());
  const atDeadline = () =>
    stop(new CancelledError("session_deadline", `session timed out after ${sessionTimeoutMs / 1_000} s`));
  resources.adopt(setTimeout(atDeadline, Math.max(0, deadlineInMs)), (timer) => clearTimeout(timer));
  return {
    sessionId,
    epoch,
    db,
    bus,
    llm,
    maxMessageBytes: deps.config.maxMessageBytes,
    log,
    metrics,
    signal,
    commits: pLimit(1),
    publisher,
    streams,
    stop,
    throwIfStopped: () => {
      signal.throwIfAborted();
      draining.throwIfAborted();
    },
    reasonFor: (thrown) => {
      if (thrown instanceof CancelledError || thrown instanceof TerminalError) return thrown;
      const reason: unknown = signal.aborted ? signal.reason : thrown;
      return coerceError(reason);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
