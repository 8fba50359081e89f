import { LRUCache } from "lru-cache";

const MAX_KEYS = 10_000;

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** Limits how often something happens per key: `burst` at once, then `perSecond`. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_KEYS });

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Takes one; returns 0, or how many seconds to wait until one is free. */
  take(key: string): number {
    const bucket = this.#refilled(key);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  #refilled(key: string): Bucket {
    const now = performance.now();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, refilledAt: now };
    const earned = ((now - bucket.refilledAt) / 1_000) * this.#perSecond;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + earned);
    bucket.refilledAt = now;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
