import { onReconnect } from "#shared/bus/on-reconnect.ts";
import { openSessionQueue, pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-cancel.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { checkDatabase } from "#shared/database/open-database.ts";
import { cancelledByUser, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { claimSession } from "./claim-session.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { runSession, type RunEnd } from "./run-session.ts";

/** Grace period for running steps after a stop; steps that still run then are aborted, and the next owner repeats them. */
const STOP_GRACE_MS = 10_000;
export const WORKING_EVERY_MS = 8_000;
const RETRY_MS = 1_000;

/**
 * Pulls one wake-up per free slot, claims its session and runs it. Returns once `stop` has aborted and every running
 * session is released.
 */
export async function consumeSessions(deps: ExecutorDeps, stop: AbortSignal): Promise<void> {
  // An executor without Postgres must not pull: it would take wake-ups from executors that can run them.
  let isDatabaseSuspect = false;
  const running = new Map<string, { delivery: SessionDelivery; done: Promise<void> }>();
  const abort = new AbortController();
  const cancels = subscribe(deps.bus, SUBJECTS.allCancels, sessionCancelCodec, ({ session_id }) =>
    deps.leases.find(session_id)?.stop(cancelledByUser()),
  );

  const handle = async (delivery: SessionDelivery) => {
    const { sessionId } = delivery;
    const log = deps.log.child({ session_id: sessionId });
    const current = running.get(sessionId);
    if (current !== undefined) {
      // Redelivered while its session runs here (a lost acknowledgement, another server): adopt the new token.
      current.delivery = delivery;
      return;
    }
    const entry = { delivery, done: Promise.resolve() };
    running.set(sessionId, entry);
    const keepAlive = setInterval(() => {
      // Once the lease is lost, the message must return to other executors, even while a last statement is failing.
      if (deps.leases.find(sessionId) !== undefined) entry.delivery.working();
    }, WORKING_EVERY_MS);
    deps.metrics.running.set(running.size);
    entry.done = runDelivered({ ...deps, log }, sessionId, { stop, abort: abort.signal })
      .then(({ end, ack }) => {
        isDatabaseSuspect ||= end === "lost" || end === "interrupted";
        return acknowledge(entry.delivery, ack);
      })
      .catch((error: unknown) => {
        isDatabaseSuspect = true;
        log.error({ error: errorMessage(error) }, "session not run");
        entry.delivery.nak(RETRY_MS * (1 + Math.random()));
      })
      .finally(() => {
        clearInterval(keepAlive);
        running.delete(sessionId);
        deps.metrics.running.set(running.size);
      });
    await entry.done;
  };

  await pullWhileSlotsAreFree(deps, stop, {
    isFull: () => running.size >= deps.config.slots,
    ready: async () => {
      if (!isDatabaseSuspect) return;
      await checkDatabase(deps.db);
      isDatabaseSuspect = false;
    },
    freed: () => Promise.race([...running.values()].map(({ done }) => done)),
    handle: (delivery) => void handle(delivery),
  });

  const grace = setTimeout(() => abort.abort(stop.reason), STOP_GRACE_MS);
  await Promise.all([...running.values()].map(({ done }) => done));
  clearTimeout(grace);
  cancels.unsubscribe();
}

interface Slots {
  isFull(): boolean;
  /** Rejects while no session could run. */
  ready(): Promise<void>;
  /** Resolves when a running session has ended. */
  freed(): Promise<void>;
  handle(delivery: SessionDelivery): void;
}

async function pullWhileSlotsAreFree(deps: ExecutorDeps, stop: AbortSignal, slots: Slots): Promise<void> {
  let queue: Awaited<ReturnType<typeof openSessionQueue>> | undefined;
  // After a reconnect the server does not know an open pull, so the pull is aborted and repeated.
  let renew = new AbortController();
  let either = AbortSignal.any([stop, renew.signal]);
  onReconnect(deps.bus, () => {
    renew.abort();
    renew = new AbortController();
    either = AbortSignal.any([stop, renew.signal]);
  });
  while (!stop.aborted) {
    try {
      if (slots.isFull()) {
        await untilAborted(slots.freed(), stop);
        continue;
      }
      await slots.ready();
      if (queue === undefined) {
        await deps.prepareQueue();
        queue = await openSessionQueue(deps.bus);
      }
      const delivery = await pullSession(deps.bus, queue, either, () => deps.metrics.poison.inc());
      if (delivery !== null) slots.handle(delivery);
    } catch (error) {
      if (stop.aborted) break;
      // A server is unavailable or the stream is gone: prepare the queue again once the server answers.
      queue = undefined;
      deps.log.warn({ error: errorMessage(error) }, "no sessions pulled");
      await pause(jitter(RETRY_MS), stop).catch(() => undefined);
    }
  }
}

/** The `status` label of each run's end. Label values are part of the metrics' public interface and stay. */
export const RUN_END_LABELS: Record<RunEnd, string> = {
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed_out",
  released: "handed_over",
  interrupted: "interrupted",
  deferred: "put_off",
  lost: "lost",
};

/** How the wake-up is acknowledged. */
type AckDecision = { readonly kind: "ack" } | { readonly kind: "nak"; readonly delayMs: number };

async function acknowledge(delivery: SessionDelivery, decision: AckDecision): Promise<void> {
  if (decision.kind === "ack") return delivery.ack();
  delivery.nak(decision.delayMs);
}

async function runDelivered(
  deps: ExecutorDeps,
  sessionId: string,
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<{ readonly end: RunEnd | null; readonly ack: AckDecision }> {
  const claim = await claimSession(deps.db, sessionId, deps.config.podId);
  if (claim.kind === "over" || claim.kind === "waiting") return { end: null, ack: { kind: "ack" } };
  // A delayed nak counts against max_ack_pending, so only a live lease justifies one.
  if (claim.kind === "leased") {
    return { end: null, ack: { kind: "nak", delayMs: claim.forMs + 500 * Math.random() } };
  }
  const end = await runSession(deps, claim, signals);
  deps.metrics.sessions.inc({ status: RUN_END_LABELS[end] });
  return { end, ack: ackDecision(end) };
}

/** Maps a run's end to the acknowledgement; the only place that does so. */
function ackDecision(end: RunEnd): AckDecision {
  switch (end) {
    case "released":
      return { kind: "nak", delayMs: 0 };
    case "interrupted":
    case "lost":
      return { kind: "nak", delayMs: RETRY_MS * (1 + Math.random()) };
    case "deferred":
      return { kind: "ack" };
    case "completed":
    case "failed":
    case "cancelled":
    case "timed_out":
      return { kind: "ack" };
    default:
      return end satisfies never;
  }
}
