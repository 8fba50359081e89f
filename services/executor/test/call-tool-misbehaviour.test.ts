import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
} from "#shared/contracts/tool-call.ts";
import { cancelledByUser } from "#shared/errors.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import type { CallToolRequest } from "../tools/call-tool.ts";
import { TOOL_TIMEOUTS } from "../tools/tool-timeouts.ts";
import { SHORT_TIMEOUTS, LAB, callAs, callRequest } from "./call-tool-fixture.ts";

interface Respondent {
  respond(data: Uint8Array): boolean;
}

describe("callTool with misbehaving tool-runners", () => {
  let fixture: ToolFixture;
  let owner: ClaimedSession;

  before(async () => {
    fixture = await ToolFixture.start({ lab: LAB });
  });
  beforeEach(async () => {
    owner = await fixture.session();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const request = (tool: string, timeoutMs = 50_000) => callRequest(owner, tool, { timeoutMs });
  const call = async (made: CallToolRequest, timeouts = TOOL_TIMEOUTS, { signal } = new AbortController()) =>
    callAs(fixture, owner, made, { timeouts, signal });
  /** A stub tool-runner. `received` lists the ids of the calls it got, in order. */
  const serve = (
    answer: (message: Respondent, callId: string) => void,
  ): Disposable & { readonly received: string[] } => {
    const received: string[] = [];
    const subscription = fixture.bus.connection.subscribe(SUBJECTS.toolsCall, {
      callback: (_error, message) => {
        const { call_id } = toolCallRequestCodec.decode(message.data);
        received.push(call_id);
        answer(message, call_id);
      },
    });
    return { received, [Symbol.dispose]: () => subscription.unsubscribe() };
  };
  const reply = (call_id: string, answer: ToolCallAnswer) => toolCallReplyCodec.encode({ call_id, answer });
  const result = (content: string): ToolCallAnswer => ({ kind: "result", content, is_error: false });

  it("gives up when no runner answers, and prevents the call from running later", async () => {
    const made = request("write");
    expect(await call(made, SHORT_TIMEOUTS)).to.deep.equal({
      kind: "exception",
      message: "no tool-runner answers; the call was not made",
      isTimeout: false,
      mayHaveRun: false,
    });
    expect(await fixture.row(made.callId)).to.include({ state: "abandoned" });
  });

  it("waits for a runner that starts a little later", async () => {
    const made = request("write");
    const outcome = call(made, { ...TOOL_TIMEOUTS, noRespondersMs: 40_000 });
    await using runner = await fixture.runner();
    expect(await outcome).to.include({ kind: "result" });
    expect(await fixture.started(made.callId)).to.have.length(1);
    expect(runner.pid).to.be.above(0);
  });

  it("times out on a runner that never answers, and retries with the same call id", async () => {
    using mute = serve(() => undefined);
    const made = request("write", 1_000);
    const outcome = await call(made, { ...SHORT_TIMEOUTS, replyMs: 100 });
    expect(outcome).to.include({ kind: "exception", isTimeout: true, mayHaveRun: false });
    expect(mute.received.length).to.be.above(2);
    expect(new Set(mute.received)).to.deep.equal(new Set([made.callId]));
    expect(await fixture.row(made.callId)).to.include({ state: "abandoned" });
  });

  it("takes the first of two answers and ignores a late one", async () => {
    let late: (() => void) | undefined;
    using twice = serve((message, callId) => {
      if (twice.received.length === 1) {
        late = () => message.respond(reply(callId, result("late")));
        return;
      }
      message.respond(reply(callId, result("first")));
      message.respond(reply(callId, result("second")));
      late?.();
    });
    expect(await call(request("write"), { ...SHORT_TIMEOUTS, replyMs: 200 })).to.include({
      content: "first",
    });
    expect(await call(request("write"), SHORT_TIMEOUTS)).to.include({ content: "first" });
  });

  it("ignores the answer to another call", async () => {
    using confused = serve((message, callId) => {
      const id = confused.received.length === 1 ? randomUUID() : callId;
      message.respond(reply(id, result(id)));
    });
    const made = request("write");
    expect(await call(made, SHORT_TIMEOUTS)).to.include({ content: made.callId });
  });

  it("returns an exception for an answer that cannot be decoded", async () => {
    using broken = serve((message) => message.respond(new TextEncoder().encode("{")));
    const outcome = await call(request("write"), SHORT_TIMEOUTS);
    expect(outcome).to.include({ kind: "exception", isTimeout: false, mayHaveRun: false });
    expect(broken.received).to.have.length(1);
  });

  it("retries while the runners are busy", async () => {
    using busy = serve((message, callId) => {
      const full: ToolCallAnswer = { kind: "busy", message: "full" };
      message.respond(reply(callId, busy.received.length < 3 ? full : result("at last")));
    });
    expect(await call(request("write"), SHORT_TIMEOUTS)).to.include({ content: "at last" });
  });

  it("repeats a call whose runner was killed only if it is read-only", async () => {
    const killed = await fixture.runner();
    const [look, write] = [request("hang_safe"), request("hang")];
    const end = new AbortController();
    const looked = call(look, TOOL_TIMEOUTS, end).catch((error: unknown) => error);
    const written = call(write);
    await Promise.all([fixture.untilStarted(look.callId), fixture.untilStarted(write.callId)]);
    await using other = await fixture.runner();
    await killed.end("SIGKILL");
    await Promise.all([fixture.forgetRunner(look.callId), fixture.forgetRunner(write.callId)]);
    expect(await written).to.deep.equal({
      kind: "exception",
      message: "its runner died; whether it took effect is not known",
      isTimeout: false,
      mayHaveRun: true,
    });
    const again = await until("the read-only call runs again", async () => {
      const started = await fixture.started(look.callId);
      return started.length > 1 ? started : undefined;
    });
    expect(again.map(({ pid }) => pid)).to.deep.equal([killed.pid, other.pid]);
    expect(await fixture.started(write.callId)).to.have.length(1);
    end.abort(cancelledByUser());
    expect(await looked).to.include({ reason: "user" });
  });
});
