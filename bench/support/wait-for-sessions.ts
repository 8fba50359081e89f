import { setTimeout as wait } from "node:timers/promises";
import type { BenchmarkContext } from "./benchmark.ts";
import { SERVICES } from "./service-usage.ts";
import type { BenchSystem } from "./start-bench-system.ts";

const POLL_MS = 100;
const SHOW_EVERY_MS = 3_000;
/** Without one more session ended for this long, nothing will. */
const STUCK_MS = 60_000;

/**
 * Waits until no session is left to run, showing how many still are; `pollMs` is the time between two looks. Throws
 * when a service has exited or nothing moves any more, and the signal's reason when it aborts.
 */
export async function waitForSessions(
  { db, system }: BenchSystem,
  { signal, progress }: BenchmarkContext,
  pollMs = POLL_MS,
): Promise<void> {
  let [left, movedAt, shownAt] = [Number.POSITIVE_INFINITY, performance.now(), performance.now()];
  for (;;) {
    signal.throwIfAborted();
    const unfinished = await db.unfinishedSessions();
    if (unfinished === 0) return;
    const now = performance.now();
    if (unfinished < left) [left, movedAt] = [unfinished, now];
    if (now - movedAt > STUCK_MS) {
      throw new Error(`no session has ended for ${STUCK_MS / 1_000} s: ${left} are left`);
    }
    for (const name of SERVICES) {
      const gone = system
        .all(name)
        .find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
      if (gone !== undefined) throw new Error(`${name} has exited:\n${system.output.slice(-2_000)}`);
    }
    if (now - shownAt > SHOW_EVERY_MS) {
      shownAt = now;
      progress(`  ${unfinished} sessions left`);
    }
    await wait(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
