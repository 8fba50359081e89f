import { expect } from "chai";
import { CallAborted, abortedOutcome, thrownOutcome } from "../failed-outcome.ts";
import { McpFailure } from "../mcp/mcp-failure.ts";

const READ = { isRepeatable: true, hasBegun: true };
const WRITE = { isRepeatable: false, hasBegun: true };
const UNSENT = { isRepeatable: false, hasBegun: false };

describe("the outcome of a call that fails", () => {
  const thrown = (error: unknown, progress: typeof READ) => {
    const { kind, ending } = thrownOutcome(error, progress);
    return `${kind}${ending}`;
  };
  const aborted = (why: CallAborted["why"], progress: typeof READ) => {
    const { kind, ending } = abortedOutcome(new CallAborted(why, ""), progress);
    return `${kind}${ending}`;
  };

  it("is unknown only for a call that must not be repeated and may have been sent", () => {
    const lost = new McpFailure("closed", "maybe", "");
    expect(thrown(lost, WRITE)).to.equal("outcome_unknown; whether it took effect is not known");
    expect(thrown(lost, READ)).to.equal("exception");
    const silent = new McpFailure("timeout", "maybe", "");
    expect(thrown(silent, WRITE)).to.equal("timeout; whether it took effect is not known");
    expect(thrown(silent, READ)).to.equal("timeout");
    expect(aborted("runner_stops", WRITE)).to.equal("outcome_unknown; whether it took effect is not known");
    expect(aborted("runner_stops", READ)).to.equal("interrupted");
  });

  it("says of an unsent call that it was not made, or lets it be made again", () => {
    const away = new McpFailure("unreachable", "no", "");
    expect(thrown(away, UNSENT)).to.equal("exception; the call was not made");
    expect(thrown(away, WRITE)).to.equal("exception; the call was not made");
    expect(aborted("deadline", UNSENT)).to.equal("timeout; the call was not made");
    expect(aborted("cancelled", UNSENT)).to.equal("cancelled; the call was not made");
    expect(aborted("runner_stops", UNSENT)).to.equal("interrupted");
  });

  it("is the server's own words for what the model may correct", () => {
    const answered = (code: number) => new McpFailure("protocol_error", "answered", "", { code });
    expect(thrown(answered(-32602), WRITE)).to.equal("answer");
    expect(thrown(answered(-32603), WRITE)).to.equal("exception");
    expect(thrown(new McpFailure("input_required", "answered", ""), WRITE)).to.equal("answer");
  });
});
