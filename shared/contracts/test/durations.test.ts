import { expect } from "chai";
import * as durations from "#shared/contracts/durations.ts";

const { readTimeScale, TIME_SCALE, ...constants } = durations;

describe("TARSY_TIME_SCALE", () => {
  it("is 1 unless it is set, and a whole number from 1 to 8", () => {
    expect(readTimeScale({})).to.equal(1);
    expect(readTimeScale({ TARSY_TIME_SCALE: "" })).to.equal(1);
    for (const scale of [1, 4, 8]) expect(readTimeScale({ TARSY_TIME_SCALE: String(scale) })).to.equal(scale);
  });

  it("is refused with its name and what is allowed", () => {
    for (const value of ["0", "9", "-4", "2.5", "four"]) {
      expect(() => readTimeScale({ TARSY_TIME_SCALE: value }), value).to.throw(
        `environment variable TARSY_TIME_SCALE is "${value}": it must be a whole number from 1 to 8`,
      );
    }
  });

  it("divides the durations into whole milliseconds, in the order that keeps one owner per session", () => {
    for (const [name, ms] of Object.entries(constants)) expect(ms, name).to.satisfy(Number.isSafeInteger);
    const { RENEW_EVERY_MS, SELF_FENCE_MS, LEASE_MS, ACK_WAIT_MS, WORKING_EVERY_MS, EXECUTOR_DEAD_MS } =
      constants;
    expect(LEASE_MS).to.equal(Math.round(20_000 / TIME_SCALE));
    expect(2 * RENEW_EVERY_MS).to.be.below(SELF_FENCE_MS);
    expect(SELF_FENCE_MS).to.be.below(LEASE_MS);
    expect(EXECUTOR_DEAD_MS).to.be.below(LEASE_MS);
    expect(LEASE_MS).to.be.below(ACK_WAIT_MS);
    expect(2 * WORKING_EVERY_MS).to.be.below(ACK_WAIT_MS);
  });
});
