import { expect } from "chai";
import { describeLimits } from "../config.ts";

describe("describeLimits", () => {
  it("says when one executor takes all that all together may run", () => {
    const standBy = "further executors stand by until queue.max_concurrent_sessions is raised";
    expect(describeLimits({ slots: 5, maxRunning: 5 })).to.equal(
      `runs up to 5 sessions at a time, all executors together 5: ${standBy}`,
    );
    expect(describeLimits({ slots: 50, maxRunning: 3 })).to.equal(
      `runs up to 3 sessions at a time, all executors together 3: ${standBy}`,
    );
    expect(describeLimits({ slots: 5, maxRunning: 20 })).to.equal(
      "runs up to 5 sessions at a time, all executors together 20",
    );
  });
});
