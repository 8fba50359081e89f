import type { CheckedClaim, Conclusion, StatedStatus } from "#shared/contracts/conclusion.ts";

/** Only results of tools support `confirmed`: not the runbook, nor the alert or one that joined it. */
const NO_RESULT = /^(?:runbook|alert(?:#\d+)?)$/u;
const REFUTED: ReadonlySet<CheckedClaim["outcome"]> = new Set(["altered", "absent", "other_session"]);

/**
 * The status that a conclusion has by its checked claims, never above the stated one. `confirmed` needs a verified claim from a
 * tool's result for the first cause, and none that was not found; `likely` needs a verified claim.
 */
export function checkedStatus(conclusion: Conclusion, checked: readonly CheckedClaim[]): StatedStatus {
  const { status } = conclusion;
  const claims = checked.filter(({ list }) => list === "claim");
  if (status === "inconclusive" || !claims.some(({ outcome }) => outcome === "verified")) {
    return "inconclusive";
  }
  const ofFirstCause = new Set(conclusion.claims.filter(({ cause }) => cause === 1).map(({ id }) => id));
  const first = claims.filter(({ claim_id }) => ofFirstCause.has(claim_id));
  const isShown = first.some(
    ({ outcome, source }) => outcome === "verified" && !NO_RESULT.test(source ?? ""),
  );
  const isRefuted = first.some(({ outcome }) => REFUTED.has(outcome));
  return isShown && !isRefuted ? status : "likely";
}
