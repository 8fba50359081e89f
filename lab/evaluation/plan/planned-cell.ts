import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { SuiteCassette, Variant } from "../suite/suite.ts";

/** A cell of the matrix with all that running it needs. */
export interface PlannedCell {
  readonly key: string;
  readonly cassette: SuiteCassette;
  readonly variant: Variant;
  /** From 1. */
  readonly repetition: number;
  readonly chain: ResolvedChain;
}
