import { pause } from "#shared/pause.ts";
import { takeLock } from "./file-lock.mjs";

const POLL_MS = 100;

/**
 * Does work that no two processes may do at once. The lock is the file at `path`: of a dead process it is free, and one that lives is
 * waited for. Throws what the work throws, and the signal's reason.
 */
export async function whileLocked<T>(
  path: string,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (line: string) => void },
  work: () => Promise<T> | T,
): Promise<T> {
  for (let isReported = false; ; isReported = true) {
    const taken = takeLock(path);
    if ("lock" in taken) {
      try {
        return await work();
      } finally {
        taken.lock.release();
      }
    }
    if (!isReported) progress(`process ${taken.holder.identity.pid} is at it already: waiting for its end`);
    await pause(POLL_MS, signal);
  }
}
