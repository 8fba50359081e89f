import { onReconnect } from "#shared/bus/on-reconnect.ts";
import { pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-cancel.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { checkDatabase } from "#shared/database/open-database.ts";
import { cancelledByUser, errorMessage } from "#shared/errors.ts";
import { backoff, jitter, pause } from "#shared/pause.ts";
import { inSpan } from "#shared/telemetry/tracing.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { chooseSessions } from "./choose-sessions.ts";
import { claimSession } from "./claim-session.ts";
import type { ClaimOutcome } from "./session-claim.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { runSession, type RunEnd } from "./run-session.ts";

export const WORKING_EVERY_MS = 8_000;
const RETRY_MS = 1_000;
/** The first is short: at a common start the api creates the queue within milliseconds. */
const PULL_RETRIES = { firstMs: 50, lastMs: 1_000 };
/** After a start a missing server or queue is expected for as long: everything starts at the same time. */
const STARTING_MS = 10_000;

/** A delivered wake-up whose place among the running sessions is in use. */
interface Slot {
  delivery: SessionDelivery;
  /** The session that runs in this place: the delivered one, or an older one that went first. */
  sessionId: string;
  /** True once the run has ended and only the acknowledgement is due. */
  isOver: boolean;
  done: Promise<void>;
}

/**
 * Pulls one wake-up per free slot, claims its session and runs it. Returns once `stop` has aborted and every running
 * session is released.
 */
export async function consumeSessions(deps: ExecutorDeps, stop: AbortSignal): Promise<void> {
  // An executor without Postgres must not pull: it would take wake-ups from executors that can run them.
  let isDatabaseSuspect = false;
  let natsConnectedAt = -Infinity;
  onReconnect(deps.bus, () => (natsConnectedAt = performance.now()));
  const slots = new Set<Slot>();
  const abort = new AbortController();
  const cancels = subscribe(deps.bus, SUBJECTS.allCancels, sessionCancelCodec, ({ session_id }) =>
    deps.leases.find(session_id)?.stop(cancelledByUser()),
  );

  const handle = async (delivery: SessionDelivery): Promise<void> => {
    const { sessionId } = delivery;
    const current = [...slots].find((slot) => slot.delivery.sessionId === sessionId);
    if (current !== undefined) {
      // Redelivered while its place is in use (a lost acknowledgement, another server): adopt the new token. After the
      // run's end the token is one of its own.
      if (!current.isOver) {
        current.delivery = delivery;
        return;
      }
      await current.done;
    }
    const host = [...slots].find((slot) => slot.sessionId === sessionId && !slot.isOver);
    if (host !== undefined) {
      // The session runs in another one's place: it gets its own, and the other one's wake-up is free.
      host.delivery.nak();
      host.delivery = delivery;
      return;
    }
    const slot: Slot = { delivery, sessionId, isOver: false, done: Promise.resolve() };
    slots.add(slot);
    const keepAlive = setInterval(() => {
      // Once the lease is lost, the message must return to other executors, even while a last statement is failing.
      if (deps.leases.find(slot.sessionId) !== undefined) slot.delivery.working();
    }, WORKING_EVERY_MS);
    deps.metrics.running.set(slots.size);
    const claimFor = { slot, natsUpMs: performance.now() - natsConnectedAt };
    slot.done = runDelivered(deps, claimFor, { stop, abort: abort.signal })
      .then(({ end, ack }) => {
        slot.isOver = true;
        isDatabaseSuspect ||= end === "lost" || end === "interrupted";
        // A borrowed place goes back to the session whose wake-up it is.
        const isBorrowed = slot.sessionId !== slot.delivery.sessionId;
        return acknowledge(slot.delivery, isBorrowed ? { kind: "nak", delayMs: 0 } : ack);
      })
      .catch((error: unknown) => {
        isDatabaseSuspect = true;
        deps.log.error({ session_id: slot.sessionId, error: errorMessage(error) }, "session not run");
        slot.delivery.nak(RETRY_MS * (1 + Math.random()));
      })
      .finally(() => {
        clearInterval(keepAlive);
        slots.delete(slot);
        deps.metrics.running.set(slots.size);
      });
    await slot.done;
  };

  await pullWhileSlotsAreFree(deps, stop, {
    isFull: () => slots.size >= deps.config.slots,
    ready: async () => {
      if (!isDatabaseSuspect) return;
      await checkDatabase(deps.db);
      isDatabaseSuspect = false;
    },
    freed: () => Promise.race([...slots].map(({ done }) => done)),
    handle: (delivery) => void handle(delivery),
  });

  const grace = setTimeout(() => abort.abort(stop.reason), deps.config.stopGraceMs);
  await Promise.all([...slots].map(({ done }) => done));
  clearTimeout(grace);
  cancels.unsubscribe();
}

interface FreeSlots {
  isFull(): boolean;
  /** Rejects while no session could run. */
  ready(): Promise<void>;
  /** Resolves when a running session has ended. */
  freed(): Promise<void>;
  handle(delivery: SessionDelivery): void;
}

async function pullWhileSlotsAreFree(deps: ExecutorDeps, stop: AbortSignal, slots: FreeSlots): Promise<void> {
  // Of the failures since the last pull that succeeded: their number, and the last one reported.
  let failures = 0;
  let reported = "";
  let startingUntil = performance.now() + STARTING_MS;
  while (!stop.aborted) {
    try {
      if (slots.isFull()) {
        await untilAborted(slots.freed(), stop);
        continue;
      }
      await deps.bus.untilConnected(stop);
      await slots.ready();
      const delivery = await pullSession(deps.bus, stop, () => deps.metrics.poison.inc());
      startingUntil = 0;
      if (failures > 0 && deps.bus.isConnected()) {
        deps.log.info("sessions are pulled again");
        failures = 0;
        reported = "";
      }
      if (delivery !== null) slots.handle(delivery);
    } catch (error) {
      if (stop.aborted) break;
      // A server is unavailable, or the queue is missing: only the api may create it.
      failures += 1;
      const message = errorMessage(error);
      const isExpected = message === reported || performance.now() < startingUntil;
      deps.log[isExpected ? "debug" : "warn"]({ error: message }, "no sessions pulled: trying again");
      if (!isExpected) reported = message;
      await pause(backoff(failures, PULL_RETRIES), stop).catch(() => undefined);
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
  waiting: "waiting",
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
  { slot, natsUpMs }: { slot: Slot; natsUpMs: number },
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<{ readonly end: RunEnd | null; readonly ack: AckDecision }> {
  const next = await chooseSessions(deps, slot.delivery.sessionId, signals.stop);
  if (next === null) return { end: null, ack: { kind: "nak", delayMs: jitter(RETRY_MS) } };
  let claim: ClaimOutcome = { kind: "over" };
  for (const sessionId of next) {
    slot.sessionId = sessionId;
    claim = await claimSession(deps.db, sessionId, deps.config.podId, { natsUpMs });
    if (claim.kind === "claimed") break;
  }
  if (claim.kind === "over" || claim.kind === "waiting") return { end: null, ack: { kind: "ack" } };
  // A delayed nak counts against max_ack_pending, so only a live lease justifies one.
  if (claim.kind === "leased") {
    return { end: null, ack: { kind: "nak", delayMs: claim.forMs + 500 * Math.random() } };
  }
  const log = deps.log.child({ session_id: slot.sessionId });
  const end = await runInTrace({ ...deps, log }, claim, signals);
  deps.metrics.sessions.inc({ status: RUN_END_LABELS[end] });
  return { end, ack: ackDecision(end) };
}

/** Runs a claimed session in a span that continues the trace of its submission, whichever owner it is, and measures it. */
async function runInTrace(
  deps: ExecutorDeps,
  claim: Extract<ClaimOutcome, { kind: "claimed" }>,
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<RunEnd> {
  const { sessionId, epoch, trace, waitedMs, sessionTimeoutMs, deadlineInMs } = claim;
  const startedAt = performance.now();
  if (waitedMs !== null) deps.metrics.waitSeconds.observe(waitedMs / 1_000);
  const attributes = {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.operation.name": "process",
    "messaging.destination.name": SESSIONS_STREAM,
    "tarsy.session.id": sessionId,
    "tarsy.session.epoch": epoch,
    "tarsy.executor": deps.config.podId,
  };
  const options = { kind: "consumer", parent: trace, attributes } as const;
  return inSpan(`process ${SESSIONS_STREAM}`, options, async (span) => {
    const end = await runSession(deps, claim, signals);
    span.set({ "tarsy.session.outcome": RUN_END_LABELS[end] });
    if (end === "failed" || end === "timed_out") span.fail(end);
    if (isTerminal(end)) {
      // Without what a wait for a person paused.
      const ms = sessionTimeoutMs - deadlineInMs + (performance.now() - startedAt);
      deps.metrics.sessionSeconds.observe({ status: end }, Math.max(0, ms) / 1_000);
    }
    return end;
  });
}

function isTerminal(end: RunEnd): end is TerminalStatus {
  return TERMINAL_STATUSES.some((status) => status === end);
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
    case "waiting":
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
