import { randomUUID } from "node:crypto";

/** The largest number of 12 bits. */
const MAX_COUNT = 0xfff;
const last = { ms: 0, count: 0 };

/**
 * A new UUID of version 7 (RFC 9562, 6.2, method 1): the time in milliseconds, a counter within it, and 62 random bits. Those of
 * one process rise, also within a millisecond and when the clock is set back.
 */
export function uuidV7(): string {
  const now = Date.now();
  if (now > last.ms) Object.assign(last, { ms: now, count: 0 });
  else if (last.count < MAX_COUNT) last.count += 1;
  else Object.assign(last, { ms: last.ms + 1, count: 0 });
  const time = last.ms.toString(16).padStart(12, "0");
  const count = last.count.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`;
}
