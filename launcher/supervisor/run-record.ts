import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseProcessIdentity, type ProcessIdentity } from "../process/process-identity.mjs";
import { type StopSteps, stopProcess, waitUntilGone } from "../process/stop-process.ts";

/** Stores on disk which service processes run, for the cleanup after a killed launcher. */
type RunRecord = {
  /** Records the process that runs as `name`; `undefined` if it has ended. */
  readonly note: (name: string, identity: ProcessIdentity | undefined) => void;
  readonly remove: () => void;
};

/** Services notice that the launcher is gone, and need this time to release their work. */
const selfStopMs = 3_000;
const stopSteps: StopSteps = [
  { signal: "SIGTERM", waitMs: 3_000 },
  { signal: "SIGKILL", waitMs: 3_000 },
];

function readRecord(path: string): ProcessIdentity[] {
  if (!existsSync(path)) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value !== "object" || value === null) return [];
    return Object.values(value).flatMap((entry: unknown) => parseProcessIdentity(entry) ?? []);
  } catch {
    // Empty after a power failure: none of its processes runs.
    return [];
  }
}

/**
 * Stops the services that a killed launcher left running and removes its record; resolves with their number.
 * @throws Error if one of them cannot be stopped.
 */
export async function stopOrphanedServices(path: string): Promise<number> {
  const stopped = await Promise.all(
    readRecord(path).map(async (identity) => {
      const steps = (await waitUntilGone(identity, 0)) ? undefined : stopSteps;
      if (steps === undefined) return 0;
      if (!(await waitUntilGone(identity, selfStopMs))) await stopProcess(identity, steps);
      return 1;
    }),
  );
  rmSync(path, { force: true });
  return stopped.reduce<number>((sum, one) => sum + one, 0);
}

/** Creates an empty record at `path`. */
export function openRunRecord(path: string): RunRecord {
  const running = new Map<string, ProcessIdentity>();
  const write = (): void => {
    // Written atomically: a reader must not miss a process.
    writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(running)));
    renameSync(`${path}.new`, path);
  };
  return {
    note: (name, identity) => {
      if (identity === undefined) running.delete(name);
      else running.set(name, identity);
      write();
    },
    remove: () => rmSync(path, { force: true }),
  };
}
