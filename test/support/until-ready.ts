import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { HopelessError, until } from "./until.ts";

/** A service that takes this long has not got stuck for lack of a processor. */
const LIMIT_MS = 240_000;
/** A process that has used no processor time for so long waits for something that does not come. */
const STALLED_MS = 60_000;

/**
 * Waits until a service that was just started answers that it is ready. As long as it gets on with its start it may take
 * its time: on a machine with much else to do that is minutes.
 * @param output what it has written so far, for the error's message
 * @throws when the process ends or gets nowhere
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
      const how = child.signalCode ?? `exit code ${child.exitCode}`;
      throw new HopelessError(`${name} ended with ${how}: ${output().slice(-2_000)}`);
    }
    const now = await processorTicks(child.pid ?? 0);
    if (now === undefined || now !== used) [used, usedAt] = [now ?? -1, performance.now()];
    if (performance.now() - usedAt > STALLED_MS) {
      throw new HopelessError(`${name} is not ready and does nothing: ${output().slice(-2_000)}`);
    }
    return (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok;
  };
  await until(`${name} is ready`, probe, LIMIT_MS);
}

/** What a process has used of the processors so far; undefined where there is no /proc. */
async function processorTicks(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // Behind the command's name, which may hold spaces: user time is field 14, system time field 15.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? undefined : Number(fields[11]) + Number(fields[12]);
}
