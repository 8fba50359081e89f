import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { World } from "#shared/worlds/world-format.ts";
import type { SuiteCase, Variant } from "../suite/suite.ts";

/** What is known of a world without its truth. */
export interface PlannedWorld {
  readonly id: string;
  readonly hash: string;
  /** Worlds of one incident have the same. */
  readonly group: string;
  readonly source: World["source"];
  readonly vocabulary: World["vocabulary"];
}

/** A cell of the matrix with all that running it needs. */
export interface PlannedCell {
  readonly key: string;
  readonly case: SuiteCase;
  readonly variant: Variant;
  /** From 1. */
  readonly repetition: number;
  readonly chain: ResolvedChain;
  /** Of a world: what its truth must name, and the incident that it shares with others. */
  readonly world?: PlannedWorld;
}
