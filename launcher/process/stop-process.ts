import { setTimeout as delay } from "node:timers/promises";
import { isRunning, type ProcessIdentity } from "./process-identity.mjs";

/** Signals to send in turn, each with the time in ms the process gets before the next one. */
export type StopSteps = readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[];

const pollMs = 15;

/** Waits until `identity` is gone; `false` when it still runs after `timeoutMs`. */
export async function waitUntilGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  // A process that is not our child tells nobody of its end, so it has to be asked for.
  while (isRunning(identity)) {
    if (performance.now() >= until) return false;
    await delay(pollMs);
  }
  return true;
}

/**
 * Stops a process that need not be a child of ours, by exactly this identity (never by its pid alone).
 * @throws Error when it outlives every step, or when we may not signal it.
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
