import { rmSync } from "node:fs";

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

process.on("exit", () => {
  for (const { pid, signal } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
  for (const directory of directories) {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch {
      // A server may still write there. The directory is only a temporary one.
    }
  }
});
