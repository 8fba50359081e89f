import { mkdtemp, readFile, readdir, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeOnExit } from "./kill-on-exit.ts";

const PREFIX = "tarsy-test-";
const HOUR_MS = 3_600_000;

/** Linux keeps its files in memory. */
const IN_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 2 * 1024 ** 3;
/** The line of a mount there from which no program may be started, as some machines and containers have it: tests write scripts. */
const NO_PROGRAMS = /^\S+ \/dev\/shm \S+ (?:\S+,)?noexec\b/mu;

let parent: Promise<string> | undefined;

/**
 * Creates a temporary directory for servers' data, in memory where there is room. It is removed when this process ends, if not
 * before.
 */
export async function serverDirectory(): Promise<string> {
  parent ??= chooseParent();
  const directory = await mkdtemp(join(await parent, `${PREFIX}${process.pid}-`));
  removeOnExit(directory);
  return directory;
}

async function chooseParent(): Promise<string> {
  await Promise.all([removeAbandoned(IN_MEMORY), removeAbandoned(tmpdir())]);
  const [memory, mounts] = await Promise.all([
    statfs(IN_MEMORY).catch(() => undefined),
    readFile("/proc/mounts", "utf8").catch(() => ""),
  ]);
  const isRoomy = memory !== undefined && memory.bavail * memory.bsize >= ENOUGH_BYTES;
  return isRoomy && !NO_PROGRAMS.test(mounts) ? IN_MEMORY : tmpdir();
}

/** Removes what killed test processes left, if older than an hour: another container's process may use newer ones. */
async function removeAbandoned(from: string): Promise<void> {
  for (const name of await readdir(from).catch(() => [])) {
    const pid = Number(/^tarsy-test-(\d+)-/u.exec(name)?.[1]);
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    const path = join(from, name);
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
