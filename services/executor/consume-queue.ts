import { pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { checkDatabase } from "#shared/database/open-database.ts";
import { errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { ConsumedQueue } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { RETRY_MS, runDelivered, type AckDecision, type Slot } from "./run-delivered.ts";

export const WORKING_EVERY_MS = 8_000;
/** The first is short: at a common start the api creates the queue within milliseconds. */
const PULL_RETRIES = { firstMs: 50, lastMs: 1_000 };
/** After a start a missing server or queue is expected for as long: everything starts at the same time. */
const STARTING_MS = 10_000;

/**
 * Pulls one wake-up of the queue per free slot, claims its session and runs it. `natsUpMs` is the time since the executor
 * last connected to NATS anew. Returns once `stop` has aborted and every running
 * session is released.
 */
export async function consumeQueue(
  deps: ExecutorDeps,
  consumed: ConsumedQueue,
  natsUpMs: () => number,
  stop: AbortSignal,
): Promise<void> {
  // An executor without Postgres must not pull: it would take wake-ups from executors that can run them.
  let isDatabaseSuspect = false;
  const slots = new Set<Slot>();
  const abort = new AbortController();

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
    const slot: Slot = { delivery, sessionId, isOver: false, done: Promise.resolve() };
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
        if (ack.kind === "ack") consumed.finished(slot.sessionId, end);
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

  await pullWhileSlotsAreFree(deps, consumed, stop, {
    isFull: () => slots.size >= consumed.slots,
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
      const delivery = await pullSession(deps.bus, queue, stop, () => deps.metrics.poison.inc());
      startingUntil = 0;
      if (failures > 0 && deps.bus.isConnected()) {
        deps.log.info({ stream: queue.stream }, "sessions are pulled again");
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

async function acknowledge(delivery: SessionDelivery, decision: AckDecision): Promise<void> {
  if (decision.kind === "ack") return delivery.ack();
  delivery.nak(decision.delayMs);
}
