import { rmSync } from "node:fs";
import { processIdentity } from "../../launcher/process-identity.mjs";

interface Doomed {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
}

const processes = new Set<Doomed>();
const directories = new Set<string>();

/** Ends this process when it ends without having disposed of it, a test's failed hook being the usual reason. */
export function killOnExit(pid: number, signal: NodeJS.Signals = "SIGKILL"): Disposable {
  const doomed = { pid, signal };
  processes.add(doomed);
  return { [Symbol.dispose]: () => void processes.delete(doomed) };
}

/** Removes the directory when this process ends, after the processes of `killOnExit`. */
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
      // It ended before us.
    }
  }
  const deadline = performance.now() + GONE_WITHIN_MS;
  const alive = () => [...processes].some(({ pid }) => processIdentity(pid) !== undefined);
  while (alive() && performance.now() < deadline) pauseSync(20);
  for (const directory of directories) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // A server still writes there: a later run removes what is left.
    }
  }
});
