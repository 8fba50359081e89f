import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseProcessIdentity, type ProcessIdentity } from "./process-identity.mjs";
import { type StopSteps, stopProcess, waitUntilGone } from "./stop-process.ts";

/** Remembers on disk which processes were started, for the one who cleans up behind a killed launcher. */
export type RunRecord = {
  /** Notes that `identity`, or nobody any more, runs as `name`. */
  readonly note: (name: string, identity: ProcessIdentity | undefined) => void;
  readonly remove: () => void;
};

/** They notice by themselves that we are gone, and use the time to hand over their work. */
const endByThemselvesMs = 3_000;
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
    // A power cut emptied it: then nothing of it runs any more.
    return [];
  }
}

/**
 * Stops the services of an earlier launcher that was killed and removes its record; answers how many still ran.
 * @throws Error when one of them cannot be stopped.
 */
export async function stopLeftovers(path: string): Promise<number> {
  const stopped = await Promise.all(
    readRecord(path).map(async (identity) => {
      const steps = (await waitUntilGone(identity, 0)) ? undefined : stopSteps;
      if (steps === undefined) return 0;
      if (!(await waitUntilGone(identity, endByThemselvesMs))) await stopProcess(identity, steps);
      return 1;
    }),
  );
  rmSync(path, { force: true });
  return stopped.reduce<number>((sum, one) => sum + one, 0);
}

/** Begins an empty record at `path`. */
export function openRunRecord(path: string): RunRecord {
  const running = new Map<string, ProcessIdentity>();
  const write = (): void => {
    // Whole or not at all: whoever reads it must not miss a process.
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
