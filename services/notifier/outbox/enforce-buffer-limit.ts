import type { ClientOutbox } from "./client-outbox.ts";

/** The time for which a client closed by this limit has to read the close reason. */
const GRACE_MS = 1_000;

/**
 * Returns the unsent bytes of all clients together. Each client has a limit of its own, but thousands of clients can
 * hold too much in sum: above `limitBytes` the clients with the most unsent bytes are closed with 4008 until the sum
 * of the others is within the limit.
 */
export function enforceBufferLimit(
  clients: Iterable<{ readonly outbox: Pick<ClientOutbox, "bufferedBytes" | "closeAsTooSlow"> }>,
  limitBytes: number,
): number {
  let total = 0;
  const buffering: { bytes: number; outbox: Pick<ClientOutbox, "closeAsTooSlow"> }[] = [];
  for (const { outbox } of clients) {
    const bytes = outbox.bufferedBytes;
    if (bytes === 0) continue;
    total += bytes;
    buffering.push({ bytes, outbox });
  }
  if (total <= limitBytes) return total;
  buffering.sort((a, b) => b.bytes - a.bytes);
  let excess = total - limitBytes;
  for (const { bytes, outbox } of buffering) {
    if (excess <= 0) break;
    outbox.closeAsTooSlow(GRACE_MS);
    excess -= bytes;
  }
  return total;
}
