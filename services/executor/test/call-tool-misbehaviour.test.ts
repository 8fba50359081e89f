import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
} from "#shared/contracts/tool-call.ts";
import { CancelledError } from "#shared/errors.ts";
import {
  ToolFixture as ToolBench,
  type ClaimedSession as BenchSession,
} from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import type { CallToolRequest } from "../tools/call-tool.ts";
import { TOOL_TIMEOUTS } from "../tools/tool-timeouts.ts";
import { SHORT_TIMEOUTS, LAB, callAs, callRequest } from "./call-tool-fixture.ts";

interface Respondent {
  respond(data: Uint8Array): boolean;
}

describe("callTool, when tool-runners misbehave", () => {
  let bench: ToolBench;
  let owner: BenchSession;

  before(async () => {
    bench = await ToolBench.start({ lab: LAB });
  });
  beforeEach(async () => {
    owner = await bench.session();
  });
  after(async () => bench[Symbol.asyncDispose]());

  const request = (tool: string, timeoutMs = 50_000) => callRequest(owner, tool, { timeoutMs });
  const call = async (made: CallToolRequest, timeouts = TOOL_TIMEOUTS, { signal } = new AbortController()) =>
    callAs(bench, owner, made, { timeouts, signal });
  /** A foreign runner, which answers as it likes. */
  const serve = (
    answer: (message: Respondent, callId: string) => void,
  ): Disposable & { readonly asked: string[] } => {
    const asked: string[] = [];
    const subscription = bench.bus.connection.subscribe(SUBJECTS.toolsCall, {
      callback: (_error, message) => {
        const { call_id } = toolCallRequestCodec.decode(message.data);
        asked.push(call_id);
        answer(message, call_id);
      },
    });
    return { asked, [Symbol.dispose]: () => subscription.unsubscribe() };
  };
  const reply = (call_id: string, answer: ToolCallAnswer) => toolCallReplyCodec.encode({ call_id, answer });
  const result = (content: string): ToolCallAnswer => ({ kind: "result", content, is_error: false });

  it("gives up when nobody answers, and sees to it that the call never runs", async () => {
    const made = request("write");
    expect(await call(made, SHORT_TIMEOUTS)).to.deep.equal({
      kind: "exception",
      message: "no tool-runner answers; the call was not made",
      isTimeout: false,
      mayHaveRun: false,
    });
    expect(await bench.row(made.callId)).to.include({ state: "abandoned" });
  });

  it("waits for a runner that comes a little later", async () => {
    const made = request("write");
    const outcome = call(made, { ...TOOL_TIMEOUTS, noRespondersMs: 40_000 });
    await using runner = await bench.runner();
    expect(await outcome).to.include({ kind: "result" });
    expect(await bench.started(made.callId)).to.have.length(1);
    expect(runner.pid).to.be.above(0);
  });

  it("times out on a runner that never answers, and asks it under the same id", async () => {
    using mute = serve(() => undefined);
    const made = request("write", 1_000);
    const outcome = await call(made, { ...SHORT_TIMEOUTS, replyMs: 100 });
    expect(outcome).to.include({ kind: "exception", isTimeout: true, mayHaveRun: false });
    expect(mute.asked.length).to.be.above(2);
    expect(new Set(mute.asked)).to.deep.equal(new Set([made.callId]));
    expect(await bench.row(made.callId)).to.include({ state: "abandoned" });
  });

  it("takes the first of two answers, and none that comes too late", async () => {
    let late: (() => void) | undefined;
    using twice = serve((message, callId) => {
      if (twice.asked.length === 1) {
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

  it("does not take another call's answer for its own", async () => {
    using confused = serve((message, callId) => {
      const id = confused.asked.length === 1 ? randomUUID() : callId;
      message.respond(reply(id, result(id)));
    });
    const made = request("write");
    expect(await call(made, SHORT_TIMEOUTS)).to.include({ content: made.callId });
  });

  it("tells the model when the answer is no answer", async () => {
    using broken = serve((message) => message.respond(new TextEncoder().encode("{")));
    const outcome = await call(request("write"), SHORT_TIMEOUTS);
    expect(outcome).to.include({ kind: "exception", isTimeout: false, mayHaveRun: false });
    expect(broken.asked).to.have.length(1);
  });

  it("asks again while the runners are busy", async () => {
    using busy = serve((message, callId) => {
      const full: ToolCallAnswer = { kind: "busy", message: "full" };
      message.respond(reply(callId, busy.asked.length < 3 ? full : result("at last")));
    });
    expect(await call(request("write"), SHORT_TIMEOUTS)).to.include({ content: "at last" });
  });

  it("makes a read-only call again when its runner is killed, and no other", async () => {
    const killed = await bench.runner();
    const [look, write] = [request("hang_safe"), request("hang")];
    const end = new AbortController();
    const looked = call(look, TOOL_TIMEOUTS, end).catch((error: unknown) => error);
    const written = call(write);
    await Promise.all([bench.untilStarted(look.callId), bench.untilStarted(write.callId)]);
    await using other = await bench.runner();
    await killed.end("SIGKILL");
    await Promise.all([bench.forgetRunner(look.callId), bench.forgetRunner(write.callId)]);
    expect(await written).to.deep.equal({
      kind: "exception",
      message: "its runner died; whether it took effect is not known",
      isTimeout: false,
      mayHaveRun: true,
    });
    const again = await until("the read-only call runs again", async () => {
      const started = await bench.started(look.callId);
      return started.length > 1 ? started : undefined;
    });
    expect(again.map(({ pid }) => pid)).to.deep.equal([killed.pid, other.pid]);
    expect(await bench.started(write.callId)).to.have.length(1);
    end.abort(new CancelledError("user", "cancelled by the user"));
    expect(await looked).to.include({ reason: "user" });
  });
});
