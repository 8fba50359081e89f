import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import { YOUNG_S, indexSessions } from "./index-sessions.ts";

/** At most one and a half times as long; with YOUNG_S and the time that indexing takes, the search finds what was stored 10 s ago. */
const EVERY_MS = 4_000;
const LAG_EVERY_MS = 1_000;

/**
 * Until `signal` aborts: every few seconds indexes what is new in sessions for the search, and sets the lag. Any number of replicas may do
 * so. Never throws.
 */
export async function keepSearchIndex(
  {
    db,
    log,
    metrics,
  }: { readonly db: Database; readonly log: Logger; readonly metrics: Pick<ApiMetrics, "searchLag"> },
  signal: AbortSignal,
): Promise<void> {
  let completeAt = performance.now();
  const setLag = () => metrics.searchLag.set((performance.now() - completeAt) / 1_000);
  // A round with many sessions takes minutes, in which the lag grows.
  const timer = setInterval(setLag, LAG_EVERY_MS);
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await indexSessions(db, signal);
      completeAt = startedAt - YOUNG_S * 1_000;
    } catch (error) {
      const reason = { error: errorMessage(error) };
      if (!signal.aborted) log.warn(reason, "indexing for the search failed: retrying");
    }
    setLag();
    await pause(jitter(EVERY_MS), signal).catch(() => undefined);
  }
  clearInterval(timer);
}
