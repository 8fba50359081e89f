import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, type ProcessIdentity } from "./process-identity.mjs";
import { stopProcess, waitUntilGone } from "./stop-process.ts";

const backendsEndMs = 5_000;

/** Every process of a server works in its data directory: that names them beyond doubt, whatever a pid file says. */
function processesIn(cluster: string): ProcessIdentity[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid === process.pid) return [];
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== cluster) return [];
    } catch {
      // Gone meanwhile, or another user's: then it cannot be one of ours.
      return [];
    }
    const identity = processIdentity(pid);
    return identity === undefined ? [] : [identity];
  });
}

/**
 * Ends what a killed owner or a killed postmaster left in `cluster`, and takes away the stale lock file: whose pid
 * may belong to somebody else by now, so that the server would refuse to start. The lock only goes when no
 * process of the old server is left, since it is what protects the data from two servers at once.
 * @throws Error when one of them cannot be stopped.
 */
export async function endPostgresSurvivors(cluster: string): Promise<void> {
  const lock = join(cluster, "postmaster.pid");
  if (!existsSync(lock)) return;
  const postmaster = Number(readFileSync(lock, "utf8").split("\n")[0]);
  const survivors = processesIn(cluster);
  const main = survivors.find(({ pid }) => pid === postmaster);
  if (main !== undefined) {
    await stopProcess(main, [
      { signal: "SIGINT", waitMs: 8_000 },
      { signal: "SIGQUIT", waitMs: 3_000 },
      { signal: "SIGKILL", waitMs: 2_000 },
    ]);
  }
  for (const survivor of survivors) {
    // They notice by themselves that their postmaster is gone; one in the middle of a long query does not.
    if (await waitUntilGone(survivor, backendsEndMs)) continue;
    await stopProcess(survivor, [
      { signal: "SIGQUIT", waitMs: 2_000 },
      { signal: "SIGKILL", waitMs: 2_000 },
    ]);
  }
  rmSync(lock, { force: true });
}
