import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SWEEP_EVERY_MS } from "#shared/contracts/durations.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { CriticalPlaces } from "../parking/critical-places.ts";
import { learnFromWaiting } from "../memories/learn-from-waiting.ts";
import { dispatchUnowned } from "./dispatch-unowned.ts";
import type { Database } from "#shared/database/database.ts";

interface SweeperDeps {
  readonly agents: AgentConfig;
  readonly log: Logger;
  readonly db: Database;
  readonly dispatcher: Dispatcher;
  readonly places: CriticalPlaces;
  readonly metrics: ApiMetrics;
}

/**
 * Every `everyMs` (default 2 s), or at once if the dispatcher wants it, until `signal` aborts: dispatches unowned sessions,
 * recreates a stuck queue consumer and streams that take no message, asks for places of critical sessions, and has sessions learned from whose feedback waited.
 * Any number of replicas may sweep, because the stream refuses a repeated wake-up. Never throws.
 */
export async function sweepSessions(
  deps: SweeperDeps,
  signal: AbortSignal,
  { everyMs = SWEEP_EVERY_MS }: { readonly everyMs?: number } = {},
): Promise<void> {
  const { log } = deps;
  let isFirstFailure = true;
  const logFailure = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      // While the api starts, NATS has not answered yet: the next sweep is 2 s later.
      const level = isFirstFailure ? "debug" : "warn";
      if (!signal.aborted) log[level]({ error: errorMessage(error) }, "sweep failed: retrying");
      return false;
    }
  };
  const repair = queueRepair(deps);
  while (!signal.aborted) {
    const sweep = deps.dispatcher.startSweep();
    let found = { unowned: 0, criticalWaits: false };
    const isDone = await logFailure(async () => {
      found = await dispatchUnowned(deps);
      await sweep.finish();
    });
    await logFailure(async () => repair(found.unowned));
    await logFailure(async () => deps.dispatcher.streams.look(inTurn(deps.db)));
    if (isDone && found.criticalWaits) await logFailure(async () => deps.places.askNow());
    await logFailure(async () => learnFromWaiting(deps));
    // After a failure requests have to wait, or a NATS that refuses everything would be asked without a pause.
    isFirstFailure = isDone;
    const wanted = isDone ? AbortSignal.any([signal, sweep.nextWanted]) : signal;
    // Jitter keeps replicas from sweeping in step.
    await pause(everyMs * (0.8 + 0.4 * Math.random()), wanted).catch(() => undefined);
  }
}

/** Of the api that makes streams anew; any number that no other code uses. */
export const STREAMS_LOCK = 7_035_002;
const parseLock = compileParser("lock of the streams", Type.Object({ is_ours: Type.Boolean() }));

/** Does work unless another api does it. */
function inTurn(db: Database): (work: () => Promise<void>) => Promise<void> {
  return async (work) =>
    db.transaction(async (transaction) => {
      const lock = "SELECT pg_try_advisory_xact_lock($1) AS is_ours";
      const [row] = await selectRows(transaction, parseLock, lock, [STREAMS_LOCK]);
      if (row?.is_ours === true) await work();
    });
}

/**
 * Returns a function to call once per sweep with the number of unowned sessions; it recreates a queue's consumer when
 * two sweeps in a row find it stuck. While no session is unowned, no session needs the consumer, and it is not checked.
 */
function queueRepair({ dispatcher, metrics, log }: SweeperDeps): (unowned: number) => Promise<void> {
  let suspects: readonly WakeUpQueue[] = [];
  return async (unowned) => {
    const stuck = unowned > 0 ? await dispatcher.stuckQueues() : [];
    for (const queue of stuck.filter((found) => suspects.includes(found))) {
      log.error({ stream: queue.stream, consumer: queue.durable }, "queue consumer stuck: recreating it");
      await dispatcher.recreateQueue(queue);
      metrics.queueRepairs.inc();
    }
    suspects = stuck.filter((found) => !suspects.includes(found));
  };
}
