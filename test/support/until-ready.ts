import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { PermanentError, SPARING_MS, until } from "./until.ts";

/** A service that takes longer is stuck. */
const LIMIT_MS = 240_000;
/** A process without CPU time for this long is stuck. */
const STALLED_MS = 60_000;
/** How long the output of a process that has ended is waited for. */
const LAST_WORDS_MS = 2_000;

/**
 * Waits until a service that was just started reports that it is ready. A start may take minutes beside other work, so the
 * wait continues while the process uses CPU time.
 * @param output returns the service's output so far, for the error message
 * @throws if the process ends, uses no CPU time for a minute, or is not ready after four minutes
 */
export async function untilReady(
  name: string,
  child: ChildProcess,
  healthPort: number,
  output: () => string = () => "",
): Promise<void> {
  let used = -1;
  let usedAt = performance.now();
  const probe = async () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      // Its last words may still be in the pipe.
      const words = { signal: AbortSignal.timeout(LAST_WORDS_MS) };
      if (child.stdout !== null) await finished(child.stdout, words).catch(() => undefined);
      const how = child.signalCode ?? `exit code ${child.exitCode}`;
      throw new PermanentError(`${name} ended with ${how}: ${output().slice(-2_000)}`);
    }
    const now = await cpuTicks(child.pid ?? 0);
    if (now === undefined || now !== used) [used, usedAt] = [now ?? -1, performance.now()];
    if (performance.now() - usedAt > STALLED_MS) {
      throw new PermanentError(`${name} is not ready and uses no CPU time: ${output().slice(-2_000)}`);
    }
    return (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok;
  };
  await until(`${name} is ready`, probe, LIMIT_MS, SPARING_MS);
}

/** The CPU time of a process in clock ticks; undefined without /proc. */
async function cpuTicks(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // After the command's name, which may contain spaces: user time is field 14, system time field 15.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? undefined : Number(fields[11]) + Number(fields[12]);
}
