import { rmSync } from "node:fs";

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

process.on("exit", () => {
  for (const { pid, signal } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended before us.
    }
  }
  for (const directory of directories) {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch {
      // A server that still writes there; the directory is a temporary one.
    }
  }
});
