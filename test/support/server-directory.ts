import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeOnExit } from "./kill-on-exit.ts";

const PREFIX = "tarsy-test-";
const HOUR_MS = 3_600_000;

let cleanup: Promise<void> | undefined;

/** Creates a temporary directory for servers' data. It is removed when this process ends, if not before. */
export async function serverDirectory(): Promise<string> {
  cleanup ??= removeAbandoned();
  await cleanup;
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  removeOnExit(directory);
  return directory;
}

/** Removes what killed test processes left, if older than an hour: another container's process may use newer ones. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^tarsy-test-(\d+)-/u.exec(name)?.[1]);
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || Date.now() - found.mtimeMs < HOUR_MS) continue;
    // Another process may be removing it too.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
