import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { SuiteCase, Variant } from "../suite/suite.ts";

/** What is known of a world without its truth. */
export interface PlannedWorld {
  readonly id: string;
  readonly hash: string;
  /** Worlds of one incident have the same. */
  readonly group: string;
  /** Its agents know the codes of causes. */
  readonly hasCodes: boolean;
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
