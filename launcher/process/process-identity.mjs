// Plain JavaScript, as everything that runs before the pinned Node is there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * One process for as long as it lives; a later process that got the same pid compares unequal.
 * `started` is opaque: when it started, as the kernel counts it, within which boot of the machine.
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
    // Gone, or no /proc here: both mean "nothing to read".
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
  // The command name may hold spaces and brackets, so fields are counted behind its closing one: state is field 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[19];
  // A zombie does nothing any more, it only waits for its parent to look.
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
    // ps exits with 1 when there is no such process.
    return undefined;
  }
}

/**
 * Identifies the living process `pid`, or `undefined` when there is none (a zombie counts as none).
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
 * Whether exactly this process still runs; `false` also when its pid belongs to another one by now.
 *
 * @param {ProcessIdentity} identity
 * @returns {boolean}
 */
export function isRunning(identity) {
  return processIdentity(identity.pid)?.started === identity.started;
}

/**
 * Reads an identity out of parsed JSON, or `undefined` when it holds none.
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
