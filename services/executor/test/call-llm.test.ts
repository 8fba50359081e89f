import { expect } from "chai";
import { CancelledError, cancelledByUser, coerceError } from "#shared/errors.ts";
import { callLlm } from "../llm/call-llm.ts";
import { generateRequest } from "../llm/generate-request.ts";
import { resolvedAgent } from "./resolved-chain.ts";
import type { GatewayProcess } from "./gateway-process.ts";
import { RunFixture } from "./run-fixture.ts";

describe("callLlm", () => {
  let fixture: RunFixture<GatewayProcess>;

  before(async () => {
    fixture = await RunFixture.startWithProcess();
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

  it("repeats a call that broke, but makes no fourth for its step", async () => {
    await fixture.play({ steps: [{ text: "half" }, { hang: true }] });
    await using session = await fixture.executor.own(await fixture.executor.insert());
    const request = generateRequest(
      { session, execution: { execution_id: "e" }, state: { agent: resolvedAgent(), messages: [] } },
      [],
    );
    const { promise: streaming, resolve: streams } = Promise.withResolvers<void>();
    let begun = 0;
    const call = callLlm(session, {
      request,
      timeoutMs: 60_000,
      lostCalls: 2,
      begin: () => {
        begun += 1;
        return { text: () => Promise.resolve(streams()), thinking: () => undefined };
      },
    });
    await streaming;
    await fixture.gateway.kill();
    const { reply, lostCalls } = await call;
    expect(reply.outcome.kind).to.equal("interrupted");
    expect({ lostCalls, begun }).to.deep.equal({ lostCalls: 3, begun: 1 });
    await fixture.gateway.start();
  });
});
