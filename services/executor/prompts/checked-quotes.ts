import type {
  CheckedClaim,
  Conclusion,
  ConclusionStatus,
  StatedStatus,
} from "#shared/contracts/conclusion.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { type SessionNonce, frame, oneLine } from "./untrusted-text.ts";

/** What an investigation concluded as data, for a model that judges it or learns from it. */
export interface JudgedConclusion {
  readonly status: ConclusionStatus;
  readonly stated_status: StatedStatus | null;
  readonly claims: Conclusion["claims"];
  /** What became of each quote. */
  readonly checked: readonly Pick<CheckedClaim, "claim_id" | "list" | "outcome">[];
}

/** Of a quote, which the history has as well. */
const MAX_QUOTE = 200;

/** The part of a prompt about the quotes of a conclusion; empty without one. */
export function checkedQuotes(conclusion: JudgedConclusion | null, nonce: SessionNonce): string[] {
  if (conclusion === null) return [];
  const { status, stated_status, claims, checked } = conclusion;
  const outcomes = new Map(
    checked.filter(({ list }) => list === "claim").map(({ claim_id, outcome }) => [claim_id, outcome]),
  );
  const lines = claims.map(({ id, text, source, quote }) => {
    const words = oneLine(quote.slice(0, safeCut(quote, MAX_QUOTE)));
    return `- ${oneLine(id)} ${outcomes.get(id) ?? "unchecked"}: ${oneLine(text)} (${oneLine(source)}: "${words}")`;
  });
  const verified = [...outcomes.values()].filter((outcome) => outcome === "verified").length;
  return [
    `## Checked Quotes

The agents stated their conclusion as claims with quotes, and a program compared each quote with the stored result. The status is ${status}, the agents stated ${stated_status ?? "none"}; ${verified} of ${outcomes.size} claims are verified. \`verified\` says that the quoted words are in the result, not that the claim follows from them. \`altered\`: the result has other words there; \`absent\`: it has no such words; \`error_result\`: it is an error, which shows only itself; \`other_session\`: it is of another session; \`unchecked\`: it was not compared.

${frame(nonce, "CHECKED_QUOTES", lines.join("\n"))}`,
  ];
}

/** The rule for notes about an investigation with a conclusion. */
export const VERIFIED_ONLY =
  "Where a note rests on a claim of the conclusion, the claim must be `verified`: draw no note from any other.";
