// Plain JavaScript, as everything that runs before the pinned Node is there.
import { spawn } from "node:child_process";
import { constants } from "node:os";

const parentPollMs = 250;

/**
 * Runs a program as if it were this one: same terminal, same group; a stop signal to either ends it, and its exit
 * code is the answer (128 + n after signal n). It gets an IPC channel, so that it notices when we are killed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly stopWithParent: boolean }} options stopWithParent: also stop when our own parent is killed,
 *   as when npm runs us; a shell may go away and leave us running
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
  // Nothing tells a process that its parent was killed, so it has to look.
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
