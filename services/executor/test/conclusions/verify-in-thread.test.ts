import { expect } from "chai";
import { CancelledError } from "#shared/errors.ts";
import { verifyInThread } from "../../features/conclusions/verify-in-thread.ts";
import { verifyQuotes } from "../../features/conclusions/verify-quotes.ts";

const CITATIONS = [
  { claim_id: "c1", list: "claim", source: "r1", lines: "", quote: "the disk is full" },
  { claim_id: "out1", list: "ruled_out", source: "r2", lines: "", quote: "the network is slow" },
] as const;
const SOURCES = [
  { id: "r1", kind: "result", text: "node-7: the disk is full", also: ["a"], interactionId: "x" },
] as const;

describe("verifyInThread", () => {
  it("gives what verifyQuotes gives", async () => {
    const checked = await verifyInThread(CITATIONS, SOURCES, new AbortController().signal);
    expect(checked).to.deep.equal(verifyQuotes(CITATIONS, SOURCES));
    expect(checked.map(({ outcome }) => outcome)).to.deep.equal(["verified", "absent"]);
  });

  it("throws the signal's reason", async () => {
    const stop = new AbortController();
    const checked = verifyInThread(CITATIONS, SOURCES, stop.signal);
    const reason = new CancelledError("user", "stopped");
    stop.abort(reason);
    expect(await checked.catch((error: unknown) => error)).to.equal(reason);
  });
});
