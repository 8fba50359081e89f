// Plain JavaScript for Node 20: runs before the pinned Node is installed.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Identifies one process; a later process with the same pid has another identity. `started` is opaque: the boot id and the
 * start time in kernel ticks, or the start time of ps.
 *
 * @typedef {{ readonly pid: number, readonly started: string }} ProcessIdentity
 */

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has exited, or there is no /proc.
    return undefined;
  }
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function startedOnLinux(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may contain spaces and brackets, so fields are counted after the last bracket: state is field 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[19];
  // A zombie has ended and only waits for its parent to collect its exit status.
  if (startTime === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return `${readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}:${startTime}`;
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function startedElsewhere(pid) {
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: "pipe",
    });
    return text.trim() === "" ? undefined : text.trim();
  } catch {
    // ps exits with 1 if there is no such process.
    return undefined;
  }
}

/**
 * The identity of the running process `pid`, or `undefined` if there is none (or only a zombie).
 *
 * @param {number} pid
 * @returns {ProcessIdentity | undefined}
 */
export function processIdentity(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

/**
 * True if this process still runs; `false` also if its pid belongs to another process by now.
 *
 * @param {ProcessIdentity} identity
 * @returns {boolean}
 */
export function isRunning(identity) {
  return processIdentity(identity.pid)?.started === identity.started;
}

/**
 * Reads an identity from parsed JSON; `undefined` if it contains none.
 *
 * @param {unknown} value
 * @returns {ProcessIdentity | undefined}
 */
export function parseProcessIdentity(value) {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("pid" in value) || !("started" in value)) return undefined;
  const { pid, started } = value;
  return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
}
