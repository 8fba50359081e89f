import { setTimeout as delay } from "node:timers/promises";
import { takeLock } from "./file-lock.mjs";
import { LaunchError } from "./launch-error.ts";

type FileLock = Extract<ReturnType<typeof takeLock>, { lock: unknown }>["lock"];

/** A killed npm leaves a launcher that notices within a moment and then stops in order: worth waiting for. */
const mayAnnounceMs = 1_500;
const stopTakesMs = 20_000;
const pollMs = 100;

/**
 * Makes this process the one launcher of its checkout; waits for one that is just stopping.
 * @throws LaunchError saying which process runs here and since when; the signal's reason once it aborts.
 */
export async function claimCheckout(
  path: string,
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<FileLock> {
  const begin = performance.now();
  let told = false;
  for (;;) {
    const taken = takeLock(path);
    if ("lock" in taken) return taken.lock;
    const { identity, since, stopping } = taken.holder;
    if (performance.now() - begin > (stopping ? stopTakesMs : mayAnnounceMs)) {
      throw new LaunchError(
        `TARSy is already running in this checkout (process ${identity.pid}, since ${since}); stop it with Ctrl-C in its terminal or: kill ${identity.pid}.`,
      );
    }
    if (stopping && !told) progress(`process ${identity.pid} is just stopping: waiting for it`);
    told ||= stopping;
    await delay(pollMs, undefined, { signal });
  }
}
