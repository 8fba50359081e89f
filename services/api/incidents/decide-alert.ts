import type { GroupRule } from "./group-rule.ts";

/**
 * Where a group stands: it has no session yet, its session runs, has ended within the window, or before the window, so that the
 * group begins anew.
 */
export type GroupPhase = "none" | "running" | "late" | "over";

/** A new session, one that continues an ended one, an alert that joins or is counted, or one that reaches no session. */
export const ALERT_OUTCOMES = ["opened", "reopened", "linked", "counted", "unknown"] as const;
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number];

/**
 * How often alerts after the end reopen a group before they are only counted: each starts a session, and an alert that fires
 * every few minutes would do so for ever.
 */
const MAX_REOPENED = 5;

/** What an alert of a group does. */
export function decideAlert(
  { phase, reopened }: { readonly phase: GroupPhase; readonly reopened: number },
  { onLate }: Pick<GroupRule, "onLate">,
  isResolved: boolean,
): AlertOutcome {
  switch (phase) {
    case "none":
    case "over":
      return isResolved ? "unknown" : "opened";
    case "running":
      return "linked";
    case "late":
      return !isResolved && onLate === "reopen" && reopened < MAX_REOPENED ? "reopened" : "counted";
    default:
      return phase satisfies never;
  }
}
