import { expect } from "chai";
import { CircuitBreaker } from "../circuit-breaker.ts";

describe("CircuitBreaker", () => {
  const openBreaker = () => {
    const clock = { now: 0 };
    const breaker = new CircuitBreaker(() => clock.now);
    for (let failures = 0; failures < 3; failures += 1) {
      expect(breaker.mayTry()).to.equal(true);
      breaker.failed();
    }
    return { breaker, clock };
  };

  it("opens after three failures in a row and then lets one attempt through at a time", () => {
    const { breaker, clock } = openBreaker();
    expect(breaker.mayTry()).to.equal(false);
    clock.now += 7_500;
    expect(breaker.mayTry()).to.equal(true);
    expect(breaker.mayTry()).to.equal(false);
    breaker.failed();
    clock.now += 4_000;
    expect(breaker.mayTry()).to.equal(false);
    clock.now += 60_000;
    expect(breaker.mayTry()).to.equal(true);
    breaker.succeeded();
    expect(breaker.mayTry()).to.equal(true);
    expect(breaker.mayTry()).to.equal(true);
  });

  it("lets another attempt through when one was abandoned", () => {
    const { breaker, clock } = openBreaker();
    clock.now += 60_000;
    expect(breaker.mayTry()).to.equal(true);
    breaker.abandoned();
    expect(breaker.mayTry()).to.equal(true);
  });
});
