import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import type { ApiMetrics } from "./api-metrics.ts";
import type { ApiConfig } from "./config.ts";
import type { Dispatcher } from "./dispatch.ts";

export interface SweeperDeps {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly db: DataSource;
  readonly dispatcher: Dispatcher;
  readonly metrics: ApiMetrics;
}

const SWEEP_EVERY_MS = 5_000;
const RETIRE_EVERY_MS = 60 * 60 * 1_000;
const BATCH = 1_000;

const parseUnowned = compileParser("unowned session row", Type.Object({ session_id: Uuid }));

const UNOWNED = `
SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.status IN ('pending', 'in_progress', 'cancelling') AND s.deleted_at IS NULL
  AND (r.lease_expires_at IS NULL OR r.lease_expires_at < now())
  AND (r.not_before IS NULL OR r.not_before <= now())
ORDER BY s.created_at LIMIT ${BATCH}`;

const RETIRE = `
UPDATE alert_sessions SET deleted_at = now()
WHERE deleted_at IS NULL AND completed_at < now() - make_interval(days => $1)`;

/**
 * Every `everyMs`, by default 5 s, until `signal` aborts: wakes an executor for each unfinished session that nobody owns and whose wake-up
 * the stream does not hold, oldest first; every hour, soft-deletes sessions past their retention. Any number of
 * replicas may sweep: a wake-up sent twice is refused. Never throws.
 */
export async function sweepSessions(
  deps: SweeperDeps,
  signal: AbortSignal,
  { everyMs = SWEEP_EVERY_MS }: { readonly everyMs?: number } = {},
): Promise<void> {
  let retiredAt = -Infinity;
  while (!signal.aborted) {
    try {
      await dispatchUnowned(deps);
      if (performance.now() - retiredAt > RETIRE_EVERY_MS) {
        await deps.db.query(RETIRE, [deps.config.retentionDays]);
        retiredAt = performance.now();
      }
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ error: errorMessage(error) }, "sweep failed: trying again");
    }
    // Jittered, so that replicas spread out.
    await wait(everyMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => undefined);
  }
}

async function dispatchUnowned({ db, dispatcher, metrics, log }: SweeperDeps): Promise<void> {
  const rows = await selectRows(db, parseUnowned, UNOWNED, []);
  metrics.undispatched.set(rows.length);
  if (rows.length === 0) return;
  const queued = await dispatcher.queued();
  const lost = rows.filter(({ session_id }) => !queued.has(session_id));
  for (const { session_id } of lost) dispatcher.wake(session_id);
  if (lost.length === 0) return;
  metrics.swept.inc(lost.length);
  log.info({ sessions: lost.length }, "woke executors for sessions that nobody worked on");
}
