import { expect } from "chai";
import { CancelledError, RetryableError, TerminalError, coerceError, errorMessage } from "#shared/errors.ts";

describe("errors with a verdict", () => {
  it("have a code for machines, a message for people and their own name", () => {
    const cause = new Error("inner");
    expect(new TerminalError("bad_input", "no", { cause })).to.include({
      code: "bad_input",
      message: "no",
      name: "TerminalError",
      cause,
    });
    expect(new RetryableError("busy", "later", { retryAfterMs: 5 })).to.include({ retryAfterMs: 5 });
    expect(new RetryableError("busy", "later").retryAfterMs).to.equal(undefined);
    expect(new CancelledError("user", "stop")).to.include({ reason: "user", code: "user" });
  });
});

describe("coerceError", () => {
  it("passes an error through and makes one of anything else, keeping it as the cause", () => {
    const error = new Error("x");
    expect(coerceError(error)).to.equal(error);
    expect(coerceError("text")).to.include({ message: "text", cause: "text" });
    expect(coerceError(undefined)).to.include({ message: "non-error thrown: undefined" });
    expect(coerceError({ a: 1 }))
      .to.have.property("message")
      .that.includes("non-error thrown");
  });

  it("wraps values that cannot be converted to text", () => {
    expect(coerceError(Object.create(null))).to.be.an("error");
    expect(coerceError(Symbol("x"))).to.be.an("error");
  });
});

describe("errorMessage", () => {
  it("is one sentence, whatever was thrown", () => {
    expect(errorMessage(new Error("x"))).to.equal("x");
    expect(errorMessage("text")).to.equal("text");
    expect(errorMessage(new TypeError(""))).to.equal("TypeError");
  });

  it("takes the first inner message where the outer is empty", () => {
    expect(errorMessage(new AggregateError([new Error("first"), new Error("second")], ""))).to.equal("first");
    expect(errorMessage(new AggregateError([new Error("first")], "outer"))).to.equal("outer");
    expect(errorMessage(new AggregateError([], ""))).to.equal("AggregateError");
  });
});
