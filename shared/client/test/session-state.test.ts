import { expect } from "chai";
import { sessionState } from "#shared/client/session-state.ts";

const PARKED = { by: "operator", actor: "ann", at: "2026-11-27T03:00:00.000Z" } as const;

describe("sessionState(facts)", () => {
  it("calls no session running that waits for a person or a place", () => {
    const running = { status: "in_progress", openApprovals: 0 } as const;
    expect(sessionState(running)).to.deep.equal({ kind: "in_progress", text: "Running" });
    expect(sessionState({ ...running, openApprovals: 2 }).text).to.equal("Needs approval");
    expect(sessionState({ ...running, openApprovals: 2, parked: PARKED })).to.deep.equal({
      kind: "parked",
      text: "Parked",
      since: PARKED.at,
    });
  });

  it("calls a session parked only once it is, and an ended one by its end", () => {
    const { at: _at, ...asked } = PARKED;
    expect(sessionState({ status: "in_progress", openApprovals: 0, parked: asked }).text).to.equal("Running");
    expect(sessionState({ status: "timed_out", openApprovals: 1, parked: PARKED }).text).to.equal(
      "Timed out",
    );
    expect(sessionState({ status: "cancelling", openApprovals: 1, parked: PARKED }).text).to.equal(
      "Cancelling",
    );
  });
});
