/** Returns a function that answers whether one more of something may pass now. */
export function tokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  now: () => number = () => performance.now(),
): () => boolean {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - filledAt) / 1_000) * perSecond);
    filledAt = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
