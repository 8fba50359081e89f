import { expect } from "chai";
import { CancelledError, cancelledByUser, coerceError } from "#shared/errors.ts";
import { callLlm } from "../llm/call-llm.ts";
import { generateRequest } from "../llm/generate-request.ts";
import { resolvedAgent } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";

describe("callLlm", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("starts no call once the session is cancelled", async () => {
    await fixture.play({ steps: [{ text: "hello" }] });
    await using session = await fixture.executor.own(await fixture.executor.insert());
    const request = generateRequest(
      { session, execution: { execution_id: "e" }, state: { agent: resolvedAgent(), messages: [] } },
      [],
    );
    let started = 0;
    const call = async () =>
      callLlm(session, {
        request,
        timeoutMs: 10_000,
        begin: () => {
          started += 1;
          return { text: () => undefined, thinking: () => undefined };
        },
      });
    expect((await call()).reply).to.include({ text: "hello" });
    session.stop(cancelledByUser());
    const failure = await call().then(() => undefined, coerceError);
    expect(failure).to.be.instanceOf(CancelledError).with.property("reason", "user");
    expect(started).to.equal(1);
  });
});
