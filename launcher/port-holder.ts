import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

const listening = "0A";

function socketsListeningOn(port: number): Set<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) =>
    readFileSync(path, "utf8").split("\n").slice(1),
  );
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const found = rows.filter((row) => row[1]?.endsWith(`:${wanted}`) === true && row[3] === listening);
  return new Set(found.map((row) => `socket:[${row[9]}]`));
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(openFile(`/proc/${pid}/fd/${fd}`)));
  } catch {
    // The process has exited, or belongs to another user and its files cannot be read.
    return false;
  }
}

/** The target of a descriptor; undefined if it was closed since it was listed, as that of the listing itself is. */
function openFile(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The process that listens on a TCP port of this machine, as "name (process 123)", or `undefined` if it cannot be found. */
export function portHolder(port: number): string | undefined {
  try {
    const sockets = socketsListeningOn(port);
    const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && holds(name, sockets));
    if (pid === undefined) return undefined;
    // Not /proc/PID/comm: Node names its main thread there.
    const program = basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/u, "");
    return `${program} (process ${pid})`;
  } catch {
    // No /proc on this system: the error message omits the process.
    return undefined;
  }
}
