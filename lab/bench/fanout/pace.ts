import { setTimeout as wait } from "node:timers/promises";

const TICK_MS = 5;

/** Calls `send` at a rate, in a burst every 5 ms; resolves with the number of calls. Throws the signal's reason. */
export async function pace(
  { perSecond, seconds, signal }: { perSecond: number; seconds: number; signal: AbortSignal },
  send: () => void,
): Promise<number> {
  const startedAt = performance.now();
  const total = Math.round(perSecond * seconds);
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * perSecond) + 1);
    for (; sent < due; sent += 1) send();
    await wait(TICK_MS, undefined, { signal });
  }
  return sent;
}

/** The current time as a timestamp that watchers find in a text, with the number of the text if there are several. */
export function stamp(sequence?: number): string {
  return `@${process.hrtime.bigint()}${sequence === undefined ? "" : `#${sequence}`}@`;
}
