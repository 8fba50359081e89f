import { expect } from "chai";
import { CancelledError, coerceError } from "#shared/errors.ts";
import { tryLlmCall } from "../llm/try-llm-call.ts";
import { generateRequest } from "../llm/generate-request.ts";
import { resolvedAgent } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";

describe("tryLlmCall", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("begins no call once the session is called off", async () => {
    await fixture.play({ steps: [{ text: "hello" }] });
    await using session = await fixture.executor.own(await fixture.executor.insert());
    const request = generateRequest(
      { session, execution: { execution_id: "e" }, state: { agent: resolvedAgent(), messages: [] } },
      [],
    );
    let begun = 0;
    const call = async () =>
      tryLlmCall(session, {
        request,
        timeoutMs: 10_000,
        begin: () => {
          begun += 1;
          return { text: () => undefined, thinking: () => undefined };
        },
      });
    expect(await call()).to.include({ text: "hello" });
    session.stop(new CancelledError("user", "cancelled by the user"));
    const failure = await call().then(() => undefined, coerceError);
    expect(failure).to.be.instanceOf(CancelledError).with.property("reason", "user");
    expect(begun).to.equal(1);
  });
});
