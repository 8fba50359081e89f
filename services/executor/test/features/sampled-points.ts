import { NIGHTLY, testSeed } from "../../../../test/support/nightly.ts";
import { BUDGET_AND_PLACE_FEATURES } from "./budgets-and-places.ts";
import { PEOPLE_FEATURES } from "./people.ts";
import { CHAIN_FEATURES } from "./chains.ts";
import { CONCLUSION_FEATURES } from "./conclusions.ts";
import type { Feature } from "./feature.ts";
import { MEMORY_AND_WORK_FEATURES } from "./memories-and-work.ts";
import { TOOL_FEATURES } from "./tools.ts";

/** Every feature; a new one of the executor belongs here. */
export const FEATURES: readonly Feature[] = [
  ...TOOL_FEATURES,
  ...CONCLUSION_FEATURES,
  ...PEOPLE_FEATURES,
  ...MEMORY_AND_WORK_FEATURES,
  ...CHAIN_FEATURES,
  ...BUDGET_AND_PLACE_FEATURES,
];

/**
 * Chooses the writes of each feature that a test disturbs, from 1: all in the nightly run, otherwise the first write of each kind that no feature
 * before had, or for a feature without such a kind one that SEED chooses. The kind of a write is the list of the parts of its statement, so that a sample has
 * every statement of the executor that the features know.
 */
export function samplePoints(): (kinds: readonly string[]) => readonly number[] {
  const seen = new Set<string>();
  let turn = testSeed();
  return (kinds) => {
    turn += 1;
    const isNew = (kind: string) => !seen.has(kind) && seen.add(kind).size > 0;
    const chosen = kinds.flatMap((kind, index) => (NIGHTLY || isNew(kind) ? [index + 1] : []));
    return chosen.length > 0 ? chosen : [1 + (turn % kinds.length)];
  };
}
