import { setTimeout as delay } from "node:timers/promises";
import { isRunning, type ProcessIdentity } from "./process-identity.mjs";

/** Signals to send in turn, each with the time in ms before the next one. */
export type StopSteps = readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[];

const pollMs = 15;

/** Waits until the process has ended; resolves with `false` if it still runs after `timeoutMs`. */
export async function waitUntilGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  // There is no exit event for a process that is not a child, so poll.
  while (isRunning(identity)) {
    if (performance.now() >= until) return false;
    await delay(pollMs);
  }
  return true;
}

/**
 * Stops a process that need not be a child, identified by pid and start time.
 * @throws Error if it survives every step, or if this user may not signal it.
 */
export async function stopProcess(identity: ProcessIdentity, steps: StopSteps): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!isRunning(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      if (!isRunning(identity)) return;
      throw new Error(
        `Process ${identity.pid} of an earlier start cannot be stopped by this user; stop it yourself: kill ${identity.pid}.`,
        { cause: error },
      );
    }
    if (await waitUntilGone(identity, waitMs)) return;
  }
  if (!isRunning(identity)) return;
  throw new Error(`Process ${identity.pid} does not stop; stop it yourself: kill -9 ${identity.pid}.`);
}
