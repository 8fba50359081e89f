import { pause } from "#shared/pause.ts";
import { takeLock } from "./process/file-lock.mjs";
import { LaunchError } from "./launch-error.ts";

type FileLock = Extract<ReturnType<typeof takeLock>, { lock: unknown }>["lock"];

/** The launcher of a killed npm notices within 250 ms and stops in order: wait for it. */
const stoppingNoticeMs = 1_500;
const stopTimeoutMs = 20_000;
const pollMs = 100;

/**
 * Takes the launcher lock of the checkout; waits for a launcher that is stopping.
 * @throws LaunchError naming the process that holds the lock and since when; the signal's reason once it aborts.
 */
export async function claimCheckout(
  path: string,
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<FileLock> {
  const begin = performance.now();
  let isReported = false;
  for (;;) {
    const taken = takeLock(path);
    if ("lock" in taken) return taken.lock;
    const { identity, since, stopping } = taken.holder;
    if (performance.now() - begin > (stopping ? stopTimeoutMs : stoppingNoticeMs)) {
      throw new LaunchError(
        `TARSy is already running in this checkout (process ${identity.pid}, since ${since}); stop it with Ctrl-C in its terminal or: kill ${identity.pid}.`,
      );
    }
    if (stopping && !isReported) progress(`process ${identity.pid} is stopping: waiting for it`);
    isReported ||= stopping;
    await pause(pollMs, signal);
  }
}
