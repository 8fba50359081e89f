import { bootstrapInterval } from "./bootstrap-interval.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** A share with its 95 % interval. */
export interface Share {
  readonly of: number;
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
}

/**
 * The share of trials that hold, in groups of which one is like the other: whole groups are drawn. Wilson's interval, with a group as a trial,
 * is for groups of one trial, and for those that do not differ, of which every draw is the same.
 */
export function shareOfTrials(groups: readonly (readonly boolean[])[]): Share {
  const of = groups.flat().length;
  const counted = groups.flat().filter(Boolean).length;
  const shares = new Set(groups.map((own) => own.filter(Boolean).length / own.length));
  const interval =
    shares.size <= 1 || groups.every((own) => own.length === 1)
      ? wilsonInterval(of === 0 ? 0 : (counted / of) * groups.length, groups.length)
      : bootstrapInterval(groups);
  return { of, value: of === 0 ? null : counted / of, ...interval };
}
