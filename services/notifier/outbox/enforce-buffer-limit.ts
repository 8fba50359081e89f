import type { ClientOutbox } from "./client-outbox.ts";

/** Whoever is closed for the sake of all has this long to read why. */
const GRACE_MS = 1_000;

/**
 * Returns the unsent bytes over all clients. Each has its own bound, but thousands of them together may hold too much:
 * beyond `limit` bytes those with the most are closed with 4008 until the rest is below it.
 */
export function boundBuffers(
  clients: Iterable<{ readonly outbox: Pick<ClientOutbox, "bufferedBytes" | "cutOff"> }>,
  limit: number,
): number {
  let total = 0;
  const holders: { bytes: number; outbox: Pick<ClientOutbox, "cutOff"> }[] = [];
  for (const { outbox } of clients) {
    const bytes = outbox.bufferedBytes;
    if (bytes === 0) continue;
    total += bytes;
    holders.push({ bytes, outbox });
  }
  if (total <= limit) return total;
  holders.sort((a, b) => b.bytes - a.bytes);
  let excess = total - limit;
  for (const { bytes, outbox } of holders) {
    if (excess <= 0) break;
    outbox.cutOff(GRACE_MS);
    excess -= bytes;
  }
  return total;
}
