import pLimit from "p-limit";
import { subscribe } from "#shared/bus/subscribe.ts";
import {
  inboxNoticeCodec,
  QUEUE_REFUSAL_HOLDS_MS,
  queueRefusalCodec,
  sessionCancelCodec,
} from "#shared/contracts/session-signals.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { FOLLOWUPS_QUEUE, SESSIONS_QUEUE, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { chooseSessions } from "./choose-sessions.ts";
import { claimAlone } from "./claim-free-session.ts";
import { consumeQueue } from "./consume-queue.ts";
import type { ConsumedQueue } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./core/executor-deps.ts";
import { isGatewayConnected } from "./llm/gateway-connection.ts";
import { openFollowUpWaker } from "./follow-ups/wake-follow-ups.ts";
import { unqueuedFollowUps, unqueuedSessions } from "./unqueued-sessions.ts";
import { PLACES_LOCK } from "#shared/database/places-lock.ts";
import type { Database } from "#shared/database/database.ts";

/** After a session that was not alone, the next ones are chosen for this long. */
const ALONE_AGAIN_MS = 1_000;

/**
 * Runs sessions and, with slots of their own, the follow-ups of sessions that have ended: an answer waits for no alert. Returns
 * once `stop` has aborted and every running session is released.
 */
export async function consumeSessions(deps: ExecutorDeps, stop: AbortSignal): Promise<void> {
  const { config, metrics } = deps;
  let natsConnectedAt = -Infinity;
  deps.bus.onReconnect(() => (natsConnectedAt = performance.now()));
  const cancels = subscribe(deps.bus, SUBJECTS.allCancels, sessionCancelCodec, ({ session_id }) =>
    deps.leases.find(session_id)?.cancel(),
  );
  const inboxes = subscribe(deps.bus, SUBJECTS.allInboxes, inboxNoticeCodec, ({ session_id, inbox_seq }) =>
    deps.leases.find(session_id)?.noticeInbox(inbox_seq),
  );
  const refusedUntil = new Map<string, number>();
  const refusals = subscribe(deps.bus, SUBJECTS.queueRefuses, queueRefusalCodec, ({ streams }) => {
    for (const stream of streams) refusedUntil.set(stream, performance.now() + QUEUE_REFUSAL_HOLDS_MS);
  });
  const isRefused = ({ stream }: WakeUpQueue) => performance.now() < (refusedUntil.get(stream) ?? 0);
  const inTurn = oneAtATime(deps.db);
  await using waker = openFollowUpWaker(deps);
  const followups: ConsumedQueue = {
    queue: FOLLOWUPS_QUEUE,
    slots: config.followupSlots,
    unqueued: unqueuedFollowUps(deps.db, config.maxFollowups),
    claimAlone: () => Promise.resolve(undefined),
    choose: (delivered) => Promise.resolve({ sessions: [delivered] }),
    inTurn,
    finished: (sessionId) => waker.look(sessionId),
    setRunning: (slots) => metrics.followupsRunning.set(slots),
  };
  // While sessions compete, each claim without a choice would be in vain.
  let aloneAgainAt = 0;
  const sessions: ConsumedQueue = {
    queue: SESSIONS_QUEUE,
    slots: config.slots,
    unqueued: unqueuedSessions(deps.db, config.maxRunning),
    claimAlone: async (delivered) => {
      if (performance.now() < aloneAgainAt || !isGatewayConnected(deps.llm)) return undefined;
      const claimed = await claimAlone(deps.db, delivered, config.podId);
      if (claimed === undefined) aloneAgainAt = performance.now() + ALONE_AGAIN_MS;
      return claimed;
    },
    choose: async (delivered, stopped) => chooseSessions(deps, delivered, stopped),
    inTurn,
    finished: (sessionId, isFollowedUp) => {
      if (isFollowedUp) waker.look(sessionId);
    },
    setRunning: (slots) => metrics.running.set(slots),
  };
  const natsUpMs = () => performance.now() - natsConnectedAt;
  await Promise.all(
    [followups, sessions].map(async (consumed) =>
      consumeQueue(deps, consumed, { natsUpMs, isRefused }, stop),
    ),
  );
  cancels.unsubscribe();
  inboxes.unsubscribe();
  refusals.unsubscribe();
}

/**
 * Runs work while no other executor runs its: two that look at the same rows would give both places to the same lane. In this
 * process it queues first, so that no more than one connection waits for the lock.
 */
function oneAtATime(db: Database): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(1);
  return async (work) =>
    limit(async () =>
      db.transaction(async (transaction) => {
        await transaction.query("SELECT pg_advisory_xact_lock($1)", [PLACES_LOCK]);
        return work();
      }),
    );
}
