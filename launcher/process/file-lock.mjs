// Plain JavaScript, as everything that runs before the pinned Node is there.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRunning, parseProcessIdentity, processIdentity } from "./process-identity.mjs";

/**
 * @typedef {import("./process-identity.mjs").ProcessIdentity} ProcessIdentity
 * @typedef {{ readonly identity: ProcessIdentity, readonly since: string, readonly stopping: boolean }} LockHolder
 *   `since`: ISO 8601; `stopping`: it has announced that it will soon let go
 * @typedef {{ readonly announceStop: () => void, readonly release: () => void }} FileLock
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
    // No lock, or one that a power cut left empty: nobody holds it.
    return undefined;
  }
}

/**
 * Puts `text` at `path` unless something is there; whoever reads it never sees a half of it.
 *
 * @param {string} path
 * @param {string} text
 * @returns {boolean}
 */
function createWhole(path, text) {
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
 * Takes the lock of a dead holder away. Two who try at once may both move it: the second then holds a living
 * one's lock in its hands, and puts it back.
 *
 * @param {string} path
 */
function removeStale(path) {
  const moved = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, moved);
  } catch {
    return; // the other one was faster
  }
  const holder = readHolder(moved);
  if (holder !== undefined && isRunning(holder.identity)) createWhole(path, readFileSync(moved, "utf8"));
  rmSync(moved, { force: true });
}

/**
 * Takes the lock at `path` for this process, or answers who holds it. The lock of a process that is gone is
 * nobody's, even when its pid belongs to another process by now.
 *
 * @param {string} path
 * @returns {{ readonly lock: FileLock } | { readonly holder: LockHolder }}
 */
export function takeLock(path) {
  const own = processIdentity(process.pid);
  if (own === undefined) throw new Error("this process cannot be found in the process table");
  mkdirSync(dirname(path), { recursive: true });
  const content = { ...own, since: new Date().toISOString() };
  while (!createWhole(path, JSON.stringify(content))) {
    const holder = readHolder(path);
    if (holder !== undefined && isRunning(holder.identity)) return { holder };
    removeStale(path);
  }
  const isOurs = () => readHolder(path)?.identity.started === own.started;
  return {
    lock: {
      announceStop: () => {
        const draft = `${path}.${process.pid}`;
        writeFileSync(draft, JSON.stringify({ ...content, stopping: true }));
        renameSync(draft, path);
      },
      release: () => {
        if (isOurs()) rmSync(path, { force: true });
      },
    },
  };
}
