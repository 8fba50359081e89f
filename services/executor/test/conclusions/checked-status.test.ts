import { expect } from "chai";
import type { CheckedClaim, Conclusion } from "#shared/contracts/conclusion.ts";
import { checkedStatus } from "../../features/conclusions/checked-status.ts";

type Outcome = CheckedClaim["outcome"];

/** Claims as "cause outcome source", such as "1 verified r1". */
function statusOf(status: Conclusion["status"], ...claims: readonly string[]): string {
  const parts = claims.map((claim) => claim.split(" "));
  const conclusion: Conclusion = {
    status,
    summary: "",
    confidence: 0,
    causes: [],
    claims: parts.map(([cause], at) => ({
      id: `c${at}`,
      cause: Number(cause),
      text: "",
      source: "",
      lines: "",
      quote: "",
    })),
    ruled_out: [],
    gaps: [],
    next_checks: [],
  };
  const checked = parts.map(([cause, outcome = "", source = ""], at) => ({
    claim_id: `c${at}`,
    list: cause === "out" ? ("ruled_out" as const) : ("claim" as const),
    outcome: OUTCOMES[outcome] ?? "absent",
    note: null,
    source,
    line_from: null,
    line_to: null,
    at_text: null,
    found_in: null,
  }));
  return checkedStatus(conclusion, checked);
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  verified: "verified",
  altered: "altered",
  absent: "absent",
  error: "error_result",
  unchecked: "unchecked",
  other: "other_session",
};

describe("checkedStatus", () => {
  it("confirms by a verified claim from a result for the first cause", () => {
    expect(statusOf("confirmed", "1 verified r1")).to.equal("confirmed");
    expect(statusOf("confirmed", "1 verified r1", "2 absent r1", "0 altered r1")).to.equal("confirmed");
    expect(statusOf("confirmed", "1 verified r1", "1 error r2", "1 unchecked r2")).to.equal("confirmed");
    expect(statusOf("confirmed", "1 verified r1", "1 verified alert")).to.equal("confirmed");
  });

  it("does not confirm by another cause, the alert or a runbook", () => {
    expect(statusOf("confirmed", "2 verified r1")).to.equal("likely");
    expect(statusOf("confirmed", "0 verified r1")).to.equal("likely");
    expect(statusOf("confirmed", "1 verified alert")).to.equal("likely");
    expect(statusOf("confirmed", "1 verified alert#12")).to.equal("likely");
    expect(statusOf("confirmed", "1 verified alert#2/r1")).to.equal("confirmed");
    expect(statusOf("confirmed", "1 verified runbook", "2 verified r1")).to.equal("likely");
  });

  it("does not confirm beside a claim for the first cause that was not found", () => {
    for (const outcome of ["altered", "absent", "other"]) {
      expect(statusOf("confirmed", "1 verified r1", `1 ${outcome} r1`), outcome).to.equal("likely");
    }
  });

  it("is inconclusive without a verified claim", () => {
    for (const status of ["confirmed", "likely"] as const) {
      expect(statusOf(status)).to.equal("inconclusive");
      expect(statusOf(status, "1 error r1", "1 unchecked r1", "1 altered r1")).to.equal("inconclusive");
      expect(statusOf(status, "out verified r1")).to.equal("inconclusive");
    }
  });

  it("never raises a status", () => {
    expect(statusOf("likely", "1 verified r1")).to.equal("likely");
    expect(statusOf("inconclusive", "1 verified r1")).to.equal("inconclusive");
  });
});
