import { pause } from "#shared/pause.ts";
import type { BenchmarkContext } from "./benchmark.ts";
import { MEASURED_SERVICES } from "./service-usage.ts";
import type { BenchSystem } from "./start-bench-system.ts";

const POLL_MS = 100;
const PROGRESS_EVERY_MS = 3_000;
/** The wait fails if no session ends for this long. */
const STUCK_MS = 60_000;

/**
 * Polls every `pollMs` until all sessions have ended, and prints how many are left. Throws if a service has exited or no
 * session ends for a minute, and the signal's reason when it aborts.
 */
export async function waitForSessions(
  { db, system }: BenchSystem,
  { signal, progress }: BenchmarkContext,
  pollMs = POLL_MS,
): Promise<void> {
  let [left, movedAt, printedAt] = [Number.POSITIVE_INFINITY, performance.now(), performance.now()];
  for (;;) {
    signal.throwIfAborted();
    const unfinished = await db.unfinishedSessions();
    if (unfinished === 0) return;
    const now = performance.now();
    if (unfinished < left) [left, movedAt] = [unfinished, now];
    if (now - movedAt > STUCK_MS) {
      throw new Error(`no session has ended for ${STUCK_MS / 1_000} s: ${left} are left`);
    }
    for (const name of MEASURED_SERVICES) {
      const exited = system
        .all(name)
        .find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
      if (exited !== undefined) throw new Error(`${name} has exited:\n${system.output.slice(-2_000)}`);
    }
    if (now - printedAt > PROGRESS_EVERY_MS) {
      printedAt = now;
      progress(`  ${unfinished} sessions left`);
    }
    await pause(pollMs, signal);
  }
}
