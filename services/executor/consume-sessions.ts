import { setTimeout as wait } from "node:timers/promises";
import { onReconnect } from "#shared/bus/on-reconnect.ts";
import { openSessionQueue, pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-cancel.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { checkDatabase } from "#shared/database/open-database.ts";
import { CancelledError, errorMessage } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { claimSession } from "./claim-session.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { runSession, type RunEnd } from "./run-session.ts";

/** How long a running step may go on after the stop was asked for; what still runs then is aborted and made again. */
const STOP_GRACE_MS = 10_000;
const WORKING_EVERY_MS = 8_000;
const RETRY_MS = 1_000;

/**
 * Takes one wake-up at a time while a slot is free, claims its session and runs it. Returns once `stop` has aborted
 * and every running session has been handed over.
 */
export async function consumeSessions(deps: ExecutorDeps, stop: AbortSignal): Promise<void> {
  // Who cannot reach Postgres would only take wake-ups away from those who can.
  let isDatabaseSuspect = false;
  const running = new Map<string, { delivery: SessionDelivery; done: Promise<void> }>();
  const abort = new AbortController();
  const cancels = subscribe(deps.bus, SUBJECTS.allCancels, sessionCancelCodec, ({ session_id }) =>
    deps.leases.find(session_id)?.stop(new CancelledError("user", "cancelled by the user")),
  );

  const handle = async (delivery: SessionDelivery) => {
    const { sessionId } = delivery;
    const log = deps.log.child({ session_id: sessionId });
    const mine = running.get(sessionId);
    if (mine !== undefined) {
      // The message came back while we run its session (a lost acknowledgement, another server): adopt the new token.
      mine.delivery = delivery;
      return;
    }
    const entry = { delivery, done: Promise.resolve() };
    running.set(sessionId, entry);
    const keepAlive = setInterval(() => {
      // Without a lease we keep nobody else waiting, however long our last statement takes to fail.
      if (deps.leases.find(sessionId) !== undefined) entry.delivery.working();
    }, WORKING_EVERY_MS);
    deps.metrics.running.set(running.size);
    entry.done = runDelivered({ ...deps, log }, sessionId, { stop, abort: abort.signal })
      .then(({ end, verdict }) => {
        isDatabaseSuspect ||= end === "lost" || end === "interrupted";
        return acknowledge(entry.delivery, verdict);
      })
      .catch((error: unknown) => {
        isDatabaseSuspect = true;
        log.error({ error: errorMessage(error) }, "session not run: trying again");
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
  /** Rejects while none could be run. */
  ready(): Promise<void>;
  /** Resolves when any of the running sessions has ended. */
  freed(): Promise<void>;
  handle(delivery: SessionDelivery): void;
}

async function pullWhileSlotsAreFree(deps: ExecutorDeps, stop: AbortSignal, slots: Slots): Promise<void> {
  let queue: Awaited<ReturnType<typeof openSessionQueue>> | undefined;
  // A pull that was open when the connection broke is unknown to the server that is there now.
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
      // A server is away, or the stream is gone: prepare the queue anew once it answers.
      queue = undefined;
      deps.log.warn({ error: errorMessage(error) }, "no sessions can be taken: trying again");
      await wait(RETRY_MS * (0.5 + Math.random()), undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

/** What becomes of the wake-up: the one place that maps a run's end to an acknowledgement. */
type Verdict = { readonly kind: "ack" } | { readonly kind: "nak"; readonly delayMs: number };

async function acknowledge(delivery: SessionDelivery, verdict: Verdict): Promise<void> {
  if (verdict.kind === "ack") return delivery.ack();
  delivery.nak(verdict.delayMs);
}

async function runDelivered(
  deps: ExecutorDeps,
  sessionId: string,
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<{ readonly end: RunEnd | null; readonly verdict: Verdict }> {
  const claim = await claimSession(deps.db, sessionId, deps.config.podId);
  if (claim.kind === "over" || claim.kind === "waiting") return { end: null, verdict: { kind: "ack" } };
  // A delayed nak holds a place under the cluster's limit, so only a living lease is worth one.
  if (claim.kind === "held") {
    return { end: null, verdict: { kind: "nak", delayMs: claim.forMs + 500 * Math.random() } };
  }
  const end = await runSession(deps, claim, signals);
  deps.metrics.sessions.inc({ status: end });
  return { end, verdict: verdictOn(end) };
}

function verdictOn(end: RunEnd): Verdict {
  switch (end) {
    case "handed_over":
      return { kind: "nak", delayMs: 0 };
    case "interrupted":
    case "lost":
      return { kind: "nak", delayMs: RETRY_MS * (1 + Math.random()) };
    case "put_off":
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
