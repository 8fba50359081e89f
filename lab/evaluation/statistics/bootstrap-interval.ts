import { quantile } from "./quantile.ts";

const DRAWS = 10_000;
const SEED = 1;

/** The 95 % interval of a share whose trials come in groups that are alike: whole groups are drawn again, always the same ones. 0 to 1 without any. */
export function bootstrapInterval(groups: readonly (readonly boolean[])[]): {
  readonly low: number;
  readonly high: number;
} {
  const counts = groups.map((trials) => ({ right: trials.filter(Boolean).length, of: trials.length }));
  const random = mulberry32(SEED);
  const shares = counts.length === 0 ? [] : Array.from({ length: DRAWS }, () => drawShare(counts, random));
  return { low: quantile(shares, 0.025) ?? 0, high: quantile(shares, 0.975) ?? 1 };
}

function drawShare(
  counts: readonly { readonly right: number; readonly of: number }[],
  random: () => number,
): number {
  let [right, of] = [0, 0];
  for (let n = 0; n < counts.length; n += 1) {
    const drawn = counts[Math.floor(random() * counts.length)];
    right += drawn?.right ?? 0;
    of += drawn?.of ?? 0;
  }
  return right / of;
}

/** Equally distributed numbers from 0 to 1, by Tommy Ettinger's Mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
