import { rmSync } from "node:fs";
import { processIdentity } from "../../launcher/process/process-identity.mjs";

interface ProcessToKill {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
}

const processes = new Set<ProcessToKill>();
const directories = new Set<string>();

/** Kills `pid` when this process exits before the handle is disposed, usually because a test's hook failed. */
export function killOnExit(pid: number, signal: NodeJS.Signals = "SIGKILL"): Disposable {
  const entry = { pid, signal };
  processes.add(entry);
  return { [Symbol.dispose]: () => void processes.delete(entry) };
}

/** Removes the directory when this process exits, after killing the processes of `killOnExit`. */
export function removeOnExit(directory: string): Disposable {
  directories.add(directory);
  return { [Symbol.dispose]: () => void directories.delete(directory) };
}

/** How long killed processes may take to be gone before their directories are removed. */
const GONE_WITHIN_MS = 3_000;

/** No timer runs while a process exits. */
function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

process.on("exit", () => {
  for (const { pid, signal } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
  const deadline = performance.now() + GONE_WITHIN_MS;
  const alive = () => [...processes].some(({ pid }) => processIdentity(pid) !== undefined);
  while (alive() && performance.now() < deadline) pauseSync(20);
  for (const directory of directories) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // A server may still write there: a later run removes the rest.
    }
  }
});
