import { setTimeout as wait } from "node:timers/promises";

/** Waits `ms` milliseconds. Throws the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** `ms` spread evenly between half and one and a half times itself, so that many clients do not retry in step. */
export function jitter(ms: number): number {
  return ms * (0.5 + Math.random());
}

/** The bounds of an exponential backoff, in milliseconds. */
interface BackoffRange {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Milliseconds to wait before retry number `retry` (from 1): doubles from `firstMs` up to `lastMs`, then jittered. */
export function backoff(retry: number, { firstMs, lastMs }: BackoffRange): number {
  return jitter(Math.min(lastMs, firstMs * 2 ** (retry - 1)));
}
