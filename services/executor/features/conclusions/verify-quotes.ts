import type { CheckedClaim } from "#shared/contracts/conclusion.ts";

/** A quote as the model wrote it. */
export interface Citation {
  readonly claim_id: string;
  readonly list: CheckedClaim["list"];
  readonly source: string;
  readonly lines: string;
  readonly quote: string;
}

/** A text that a quote can be of. */
export interface Source {
  /** Its handle in normal form: `r7`, `db-agent#2/r3`, `alert`, `runbook`. */
  readonly id: string;
  readonly text: string;
  /** `error`: of a refused, failed or missing call, too. `other_session`: also a result that shows other sessions. */
  readonly kind: "result" | "error" | "alert" | "runbook" | "other_session";
  /** Its other names, such as the call's UUID. */
  readonly also?: readonly string[];
}

/** Compares each quote with its source. The same input gives the same outcomes. */
export function verifyQuotes(citations: readonly Citation[], _sources: readonly Source[]): CheckedClaim[] {
  return citations.map(({ claim_id, list }) => ({
    claim_id,
    list,
    outcome: "unchecked",
    note: null,
    source: null,
    line_from: null,
    line_to: null,
    at_text: null,
    found_in: null,
  }));
}
