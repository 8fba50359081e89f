import { pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { LOOK_EVERY_MS, WORKING_EVERY_MS } from "#shared/contracts/durations.ts";
import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { checkDatabase } from "#shared/database/connection/open-database.ts";
import { errorMessage } from "#shared/errors.ts";
import { backoff, jitter, pause } from "#shared/pause.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { ConsumedQueue } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./core/executor-deps.ts";
import { RETRY_MS, runDelivered, type AckDecision, type Slot } from "./run-delivered.ts";

/** The first is short: at a common start the api creates the queue within milliseconds. */
const PULL_RETRIES = { firstMs: 50, lastMs: 1_000 };
/** After a start a missing server or queue is expected for as long: everything starts at the same time. */
const STARTING_MS = 10_000;

interface QueueHealth {
  /** The time since the executor last connected to NATS anew. */
  readonly natsUpMs: () => number;
  /** Whether the api has just said that the queue's stream takes no wake-up. */
  readonly isRefused: (queue: WakeUpQueue) => boolean;
}

/**
 * Pulls one wake-up of the queue per free slot, claims its session and runs it; while the stream takes no wake-ups, looks
 * for sessions in Postgres, too. Returns once `stop` has aborted and every running
 * session is released.
 */
export async function consumeQueue(
  deps: ExecutorDeps,
  consumed: ConsumedQueue,
  { natsUpMs, isRefused }: QueueHealth,
  stop: AbortSignal,
): Promise<void> {
  // An executor without Postgres must not pull: it would take wake-ups from executors that can run them.
  let isDatabaseSuspect = false;
  const slots = new Set<Slot>();
  const abort = new AbortController();

  const handle = async (delivery: SessionDelivery, hasPlace?: Slot["hasPlace"]): Promise<void> => {
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
    const slot: Slot = {
      delivery,
      sessionId,
      isOver: false,
      isFollowedUp: false,
      done: Promise.resolve(),
      hasPlace,
    };
    slots.add(slot);
    const keepAlive = setInterval(() => {
      // Once the lease is lost, the message must return to other executors, even while a last statement is failing.
      if (deps.leases.find(slot.sessionId) !== undefined) slot.delivery.working();
    }, WORKING_EVERY_MS);
    consumed.setRunning(slots.size);
    const run = async () => {
      try {
        const signals = { stop, abort: abort.signal };
        const { end, ack } = await runDelivered(deps, consumed, { slot, natsUpMs: natsUpMs() }, signals);
        slot.isOver = true;
        isDatabaseSuspect ||= end === "lost" || end === "interrupted";
        // A borrowed place goes back to the session whose wake-up it is.
        const isBorrowed = slot.sessionId !== slot.delivery.sessionId;
        await acknowledge(slot.delivery, isBorrowed ? { kind: "nak", delayMs: 0 } : ack);
        if (ack.kind === "ack") consumed.finished(slot.sessionId, slot.isFollowedUp);
      } catch (error) {
        isDatabaseSuspect = true;
        deps.log.error({ session_id: slot.sessionId, error: errorMessage(error) }, "session not run");
        slot.delivery.nak(RETRY_MS * (1 + Math.random()));
      } finally {
        clearInterval(keepAlive);
        slots.delete(slot);
        consumed.setRunning(slots.size);
      }
    };
    slot.done = run();
    await slot.done;
  };

  const hasPlace = async () => consumed.unqueued.hasPlace();
  const freeSlots: FreeSlots = {
    isFull: () => slots.size >= consumed.slots,
    ready: async () => {
      if (!isDatabaseSuspect) return;
      await checkDatabase(deps.db);
      isDatabaseSuspect = false;
    },
    freed: () => Promise.race([...slots].map(({ done }) => done)),
    // Sessions without a wake-up are none of those that the stream's consumer counts.
    handle: (delivery) => void handle(delivery, isRefused(consumed.queue) ? hasPlace : undefined),
  };
  const looking = lookWhileRefused(deps, consumed, { isRefused, stop }, async () => {
    await freeSlots.ready();
    const taken = [...slots].flatMap((slot) => [slot.sessionId, slot.delivery.sessionId]);
    const found = await consumed.unqueued.find(consumed.slots - slots.size, taken);
    for (const sessionId of found) void handle(withoutWakeUp(sessionId), hasPlace);
  });
  await pullWhileSlotsAreFree(deps, consumed, stop, freeSlots);
  await looking;

  const grace = setTimeout(() => abort.abort(stop.reason), deps.config.stopGraceMs);
  await Promise.all([...slots].map(({ done }) => done));
  clearTimeout(grace);
}

interface FreeSlots {
  isFull(): boolean;
  /** Rejects while no session could run. */
  ready(): Promise<void>;
  /** Resolves when a running session has ended. */
  freed(): Promise<void>;
  handle(delivery: SessionDelivery): void;
}

async function pullWhileSlotsAreFree(
  deps: ExecutorDeps,
  { queue }: ConsumedQueue,
  stop: AbortSignal,
  slots: FreeSlots,
): Promise<void> {
  // The number of failures since the last pull that succeeded, and the last one reported.
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
      const delivery = await pullSession(deps.bus, queue, stop, () => deps.metrics.poison.inc());
      startingUntil = 0;
      if (failures > 0 && deps.bus.isConnected()) {
        deps.log.info({ stream: queue.stream }, "connected to the queue");
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
      deps.log[isExpected ? "debug" : "warn"](
        { stream: queue.stream, error: message },
        "no sessions pulled: trying again",
      );
      if (!isExpected) reported = message;
      await pause(backoff(failures, PULL_RETRIES), stop).catch(() => undefined);
    }
  }
}

/** Calls `look` every 2 s while the stream takes no wake-ups, until `stop` aborts. Never rejects. */
async function lookWhileRefused(
  deps: ExecutorDeps,
  { queue }: ConsumedQueue,
  { isRefused, stop }: Pick<QueueHealth, "isRefused"> & { readonly stop: AbortSignal },
  look: () => Promise<void>,
): Promise<void> {
  let isLooking = false;
  while (!stop.aborted) {
    const isNeeded = deps.bus.isConnected() && isRefused(queue);
    if (isNeeded !== isLooking) {
      const news = isNeeded
        ? "the stream takes no wake-ups: looking for sessions in Postgres"
        : "waiting for wake-ups again";
      deps.log[isNeeded ? "warn" : "info"]({ stream: queue.stream }, news);
      isLooking = isNeeded;
    }
    if (isNeeded) {
      await look().catch((error: unknown) =>
        deps.log.warn(
          { stream: queue.stream, error: errorMessage(error) },
          "no sessions looked for: trying again",
        ),
      );
    }
    await pause(jitter(LOOK_EVERY_MS), stop).catch(() => undefined);
  }
}

/** Stands for a wake-up: there is none to be acknowledged. */
function withoutWakeUp(sessionId: string): SessionDelivery {
  return { sessionId, working: () => undefined, ack: () => Promise.resolve(), nak: () => undefined };
}

async function acknowledge(delivery: SessionDelivery, decision: AckDecision): Promise<void> {
  if (decision.kind === "ack") return delivery.ack();
  delivery.nak(decision.delayMs);
}
