import { expect } from "chai";
import { failingText, needsPerson, sessionState } from "#shared/client/session-state.ts";

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
    expect(sessionState({ status: "in_progress", openApprovals: 0, parked: asked }).text).to.equal(
      "Parking…",
    );
    expect(sessionState({ status: "timed_out", openApprovals: 1, parked: PARKED }).text).to.equal(
      "Timed out",
    );
    expect(sessionState({ status: "cancelling", openApprovals: 1, parked: PARKED }).text).to.equal(
      "Cancelling",
    );
  });

  it("calls a session failing whose provider does, with what, how often and when again", () => {
    const failing = { what: "provider", provider: "local", reason: "HTTP 500", tries: 22 } as const;
    const facts = { status: "in_progress", openApprovals: 0, failing } as const;
    expect(sessionState(facts).text).to.equal("Failing");
    expect(sessionState({ ...facts, status: "completed" }).text).to.equal("Completed");
    expect(sessionState({ ...facts, openApprovals: 1 }).text).to.equal("Needs approval");
    expect([facts, { ...facts, parked: PARKED }].map(needsPerson)).to.deep.equal([true, false]);
    expect(failingText(failing, 0)).to.equal("provider 'local': HTTP 500, 22 tries");
    const waits = {
      what: "gateway",
      provider: "local",
      reason: "",
      next_at: "2026-11-27T03:00:40.000Z",
    } as const;
    expect(failingText(waits, Date.parse("2026-11-27T03:00:00.500Z"))).to.equal(
      "the LLM gateway, next in 40 s",
    );
  });
});
