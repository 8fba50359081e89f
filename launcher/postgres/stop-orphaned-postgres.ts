import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, type ProcessIdentity } from "../process/process-identity.mjs";
import { stopProcess, waitUntilGone } from "../process/stop-process.ts";

const backendsEndMs = 5_000;

/** Every process of a server has the data directory as its working directory; a pid file may be stale. */
function processesIn(cluster: string): ProcessIdentity[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid === process.pid) return [];
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== cluster) return [];
    } catch {
      // The process has exited, or belongs to another user and cannot be part of this server.
      return [];
    }
    const identity = processIdentity(pid);
    return identity === undefined ? [] : [identity];
  });
}

/**
 * Stops the processes that a killed owner or a killed postmaster left in `cluster`, then removes the stale lock file: its pid
 * may belong to another process by now, and the server would refuse to start. The lock protects the data from a second
 * server, so it is removed only when no process of the old server is left.
 * @throws Error if a process cannot be stopped.
 */
export async function stopOrphanedPostgres(cluster: string): Promise<void> {
  const lock = join(cluster, "postmaster.pid");
  if (!existsSync(lock)) return;
  const postmaster = Number(readFileSync(lock, "utf8").split("\n")[0]);
  const orphans = processesIn(cluster);
  const main = orphans.find(({ pid }) => pid === postmaster);
  if (main !== undefined) {
    await stopProcess(main, [
      { signal: "SIGINT", waitMs: 8_000 },
      { signal: "SIGQUIT", waitMs: 3_000 },
      { signal: "SIGKILL", waitMs: 2_000 },
    ]);
  }
  for (const orphan of orphans) {
    // Backends exit when their postmaster is gone, except during a long query.
    if (await waitUntilGone(orphan, backendsEndMs)) continue;
    await stopProcess(orphan, [
      { signal: "SIGQUIT", waitMs: 2_000 },
      { signal: "SIGKILL", waitMs: 2_000 },
    ]);
  }
  rmSync(lock, { force: true });
}
