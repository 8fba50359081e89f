// Plain JavaScript for Node 20: runs before the pinned Node is installed.
import { spawn } from "node:child_process";
import { constants } from "node:os";

const parentPollMs = 250;

/**
 * Runs a program in the same terminal and process group and forwards stop signals. Resolves with its exit code (128 + n
 * after signal n). It gets an IPC channel, so that it notices when this process is killed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly stopWithParent: boolean }} options stopWithParent: also stop when the parent of this process is killed.
 *   For npm as the parent; a shell may exit and leave this process running.
 * @returns {Promise<number>}
 */
export async function runInForeground(command, args, { stopWithParent }) {
  const child = spawn(command, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  const forward = () => child.kill("SIGTERM");
  /** @type {readonly NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  const parent = process.ppid;
  let parentGone = false;
  // There is no event for the death of the parent, so poll.
  const watch = setInterval(() => {
    if (!stopWithParent || parentGone || process.ppid === parent) return;
    parentGone = true;
    forward();
  }, parentPollMs);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, forward);
  }
}
