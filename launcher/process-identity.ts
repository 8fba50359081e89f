import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** One process for as long as it lives; a later process that got the same pid compares unequal. */
export type ProcessIdentity = {
  readonly pid: number;
  /** Opaque: when it started, as the kernel counts it, within which boot of the machine. */
  readonly started: string;
};

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Gone, or no /proc here: both mean "nothing to read".
    return undefined;
  }
}

function startedOnLinux(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may hold spaces and brackets, so fields are counted behind its closing one: state is field 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[19];
  // A zombie does nothing any more, it only waits for its parent to look.
  if (startTime === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return `${readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}:${startTime}`;
}

function startedElsewhere(pid: number): string | undefined {
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

/** Identifies the living process `pid`, or `undefined` when there is none (a zombie counts as none). */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process still runs; `false` also when its pid belongs to another one by now. */
export function isRunning(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.started === identity.started;
}

/** Reads an identity out of parsed JSON, or `undefined` when it holds none. */
export function parseProcessIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("pid" in value) || !("started" in value)) return undefined;
  const { pid, started } = value;
  return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
}
