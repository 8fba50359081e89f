/** Returns a function that takes one token and returns true, or returns false if none is left. */
export function tokenBucket({
  perSecond,
  burst,
}: {
  readonly perSecond: number;
  readonly burst: number;
}): () => boolean {
  let tokens = burst;
  let refilledAt = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
