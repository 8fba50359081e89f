/** The texts of triage and handover. */
export const TRIAGE_TEXT = {
  triage: {
    groups: {
      attention: (count: string) => `Needs attention (${count})`,
      needs_review: (count: string) => `Needs review (${count})`,
      in_progress: (count: string) => `In review (${count})`,
      reviewed: (count: string) => `Reviewed (${count})`,
    },
    empty: {
      attention: "Nothing needs attention.",
      needs_review: "Nothing to review.",
      in_progress: "Nothing in review.",
      reviewed: "Nothing reviewed yet.",
    },
    steps: { claim: "Claim", unclaim: "Release", reopen: "Reopen" },
    failed: (why: string) => `Could not update the session: ${why}`,
    showAll: (count: string) => `Show all ${count}`,
    keys: { step: "Claim" },
  },
  handover: {
    heading: (span: string) => `Handover ${span}`,
    shift: "Shift length",
    hours: (hours: string) => `${hours} h`,
    copy: "Copy as Markdown",
    count: (count: number, isCapped: boolean) =>
      count === 1 ? "1 investigation" : `${count}${isCapped ? " or more" : ""} investigations`,
    parts: {
      approvals: "Open approvals",
      failing: "Still failing",
      running: "Still running",
      ended: "Investigations",
    },
  },
} as const;
