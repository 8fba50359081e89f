// Plain JavaScript for Node 20: runs before the pinned Node is installed.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRunning, parseProcessIdentity, processIdentity } from "./process-identity.mjs";

/**
 * @typedef {import("./process-identity.mjs").ProcessIdentity} ProcessIdentity
 * @typedef {{ readonly identity: ProcessIdentity, readonly since: string, readonly stopping: boolean }} LockHolder
 *   `since`: ISO 8601; `stopping`: it is stopping and will soon release the lock
 * @typedef {{ readonly markStopping: () => void, readonly release: () => void }} FileLock
 */

/**
 * @param {string} path
 * @returns {LockHolder | undefined}
 */
function readHolder(path) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(readFileSync(path, "utf8"));
    const identity = parseProcessIdentity(value);
    if (identity === undefined || typeof value !== "object" || value === null) return undefined;
    const since = "since" in value ? String(value.since) : "";
    return { identity, since, stopping: "stopping" in value && value.stopping === true };
  } catch {
    // No lock file, or an empty one after a power failure: the lock is free.
    return undefined;
  }
}

/**
 * Creates `path` with `text` unless it exists; readers never see a part of it.
 *
 * @param {string} path
 * @param {string} text
 * @returns {boolean}
 */
function createAtomically(path, text) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock of a dead holder. Of two concurrent processes the second may move the new lock of the first; it then
 * puts that lock back.
 *
 * @param {string} path
 */
function removeStale(path) {
  const moved = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, moved);
  } catch {
    return; // another process removed it
  }
  const holder = readHolder(moved);
  if (holder !== undefined && isRunning(holder.identity)) createAtomically(path, readFileSync(moved, "utf8"));
  rmSync(moved, { force: true });
}

/**
 * The process that holds the lock at `path`, if it is alive.
 *
 * @param {string} path
 * @returns {LockHolder | undefined}
 */
export function lockHolder(path) {
  const holder = readHolder(path);
  return holder !== undefined && isRunning(holder.identity) ? holder : undefined;
}

/**
 * Takes the lock at `path` for this process, or returns its holder. The lock of a dead process is free, even if another
 * process has its pid by now.
 *
 * @param {string} path
 * @returns {{ readonly lock: FileLock } | { readonly holder: LockHolder }}
 */
export function takeLock(path) {
  const own = processIdentity(process.pid);
  if (own === undefined) throw new Error("this process cannot be found in the process table");
  mkdirSync(dirname(path), { recursive: true });
  const content = { ...own, since: new Date().toISOString() };
  while (!createAtomically(path, JSON.stringify(content))) {
    const holder = lockHolder(path);
    if (holder !== undefined) return { holder };
    removeStale(path);
  }
  const isOwn = () => readHolder(path)?.identity.started === own.started;
  return {
    lock: {
      markStopping: () => {
        const draft = `${path}.${process.pid}`;
        writeFileSync(draft, JSON.stringify({ ...content, stopping: true }));
        renameSync(draft, path);
      },
      release: () => {
        if (isOwn()) rmSync(path, { force: true });
      },
    },
  };
}
