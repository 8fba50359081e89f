import { createHash } from "node:crypto";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/** Everything that a cell's result depends on. */
interface CellIdentity {
  /** The version of TARSy. */
  readonly version: string;
  /** The hash of the cassette's file, or of the world. */
  readonly caseHash: string;
  /** Two variants of one configuration are two, so that the spread between equal ones can be seen. */
  readonly variant: string;
  /** With the judge and the limits. */
  readonly chain: ResolvedChain;
  /** The values of the variables that the chain's texts insert, and the scripts of scripted models. */
  readonly inserted: Readonly<Record<string, string>>;
  readonly repetition: number;
}

/** Two cells with the same key have the same result, but for chance: one of an earlier run need not be run again. */
export function cellKey({ caseHash, inserted, ...identity }: CellIdentity): string {
  const values = Object.entries(inserted).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(
      JSON.stringify([
        caseHash,
        values,
        identity.version,
        identity.variant,
        identity.repetition,
        identity.chain,
      ]),
    )
    .digest("hex");
}
