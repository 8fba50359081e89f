import { expect } from "chai";
import { cancelToolCall } from "#shared/bus/publish-message.ts";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  MAX_RESULT_BYTES,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { claimToolCall } from "#shared/database/claim-tool-call.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";

const TOOLS = {
  lab: {
    look: { read_only: true, results: [{ arguments: { at: "disk" }, text: "the disk is full" }] },
    write: {},
    slow: { results: [{ delay: "300ms", text: "done" }] },
    refuse: { results: [{ error: "no such pod" }] },
    explode: { results: [{ exception: "connection reset" }] },
    hang: { results: [{ hang: true }] },
    hang_safe: { read_only: true, results: [{ hang: true }] },
    huge: { read_only: true, results: [{ bytes: 50 * 1024 * 1024 }] },
    binary: {
      read_only: true,
      results: [{ base64: Buffer.from([0x68, 0x69, 0, 0xff, 0xfe]).toString("base64") }],
    },
    strict: {
      parameters: '{"type":"object","required":["pod"],"properties":{"pod":{"type":"string"}}}',
    },
  },
};
const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

describe("answerCall", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = resources.use(await ToolFixture.start(TOOLS));
    await Promise.all([fixture.runner(), fixture.runner()]);
    session = await fixture.session();
  });
  after(async () => resources.disposeAsync());

  const newCall = (
    tool: string,
    more: Partial<ToolCallRequest> = {},
    owner: ClaimedSession = session,
  ): ToolCallRequest => toolCallRequest(owner, `lab.${tool}`, more);
  const ask = async (call: ToolCallRequest): Promise<ToolCallAnswer> => {
    const { call_id, answer } = await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000);
    expect(call_id).to.equal(call.call_id);
    return answer;
  };
  const askUntilOver = async (call: ToolCallRequest): Promise<ToolCallAnswer> =>
    until("the call is over", async () => {
      const answer = await ask(call);
      return answer.kind === "running" ? undefined : answer;
    });

  it("answers with the call's arguments, or with the first stub result that applies", async () => {
    const call = newCall("look");
    expect(await ask(call)).to.deep.equal({
      kind: "result",
      content: `[stub] Tool "lab.look" called with args: ${call.arguments}`,
      is_error: false,
    });
    expect(await ask(newCall("look", { arguments: '{"at":"disk","more":1}' }))).to.include({
      content: "the disk is full",
    });
  });

  it("distinguishes a failure that the tool reports from one it throws, and records both", async () => {
    const [refused, exploded] = [newCall("refuse"), newCall("explode")];
    expect(await ask(refused)).to.deep.equal({ kind: "result", content: "no such pod", is_error: true });
    expect(await ask(exploded)).to.deep.equal({ kind: "exception", message: "connection reset" });
    expect(await ask(exploded)).to.deep.equal({ kind: "exception", message: "connection reset" });
    expect(await fixture.started(exploded.call_id)).to.have.length(1);
    expect(await fixture.row(exploded.call_id)).to.include({ state: "failed", failure: "exception" });
  });

  it("answers with what is wrong with the arguments", async () => {
    expect(await ask(newCall("strict", { arguments: '{"pod":{}}' }))).to.deep.equal({
      kind: "result",
      content: "The arguments do not match the tool's parameters: arguments/pod must be string.",
      is_error: true,
    });
    expect(await ask(newCall("strict", { arguments: "pod" }))).to.include({ is_error: true });
  });

  it("runs an id once, however often and through any runner it is requested", async () => {
    const call = newCall("slow");
    const answers = await Promise.all(Array.from({ length: 40 }, async () => askUntilOver(call)));
    answers.push(await ask(call));
    for (const answer of answers) {
      expect(answer).to.deep.equal({ kind: "result", content: "done", is_error: false });
    }
    expect(await fixture.started(call.call_id)).to.have.length(1);
    expect(await fixture.row(call.call_id)).to.deep.equal({
      state: "completed",
      failure: null,
      is_error: false,
      result: "done",
    });
  });

  it("answers busy while the session's row stays locked, and runs the call afterwards", async () => {
    const call = newCall("look");
    await fixture.db.transaction(async (manager) => {
      await manager.query("SELECT 1 FROM session_runtime WHERE session_id = $1 FOR UPDATE", [
        call.session_id,
      ]);
      expect(await ask(call)).to.include({ kind: "busy" });
    });
    expect(await askUntilOver(call)).to.include({ kind: "result" });
    expect(await fixture.started(call.call_id)).to.have.length(1);
  });

  it("starts nothing under an old epoch, under an expired lease or for a cancelled session", async () => {
    const [taken, expired, cancelled] = [
      await fixture.session(),
      await fixture.session(),
      await fixture.session(),
    ];
    await fixture.takeOver(taken);
    await fixture.db.query("UPDATE session_runtime SET lease_expires_at = now() WHERE session_id = $1", [
      expired.sessionId,
    ]);
    await fixture.cancel(cancelled);
    for (const [owner, reason] of [
      [taken, "not_owner"],
      [expired, "not_owner"],
      [cancelled, "session_cancelled"],
    ] as const) {
      const call = newCall("write", {}, owner);
      expect(await ask(call)).to.deep.equal({ kind: "refused", reason });
      expect(await fixture.started(call.call_id)).to.deep.equal([]);
      expect(await fixture.row(call.call_id)).to.equal(undefined);
    }
  });

  it("waits for a concurrent cancel, and starts nothing once it is committed", async () => {
    const owner = await fixture.session();
    const call = newCall("write", {}, owner);
    const answer = await fixture.db.transaction(async (manager) => {
      await manager.query("UPDATE session_runtime SET cancel_requested_at = now() WHERE session_id = $1", [
        owner.sessionId,
      ]);
      const asked = ask(call);
      await until(
        "the claim waits for the cancel",
        async () => {
          const waiting = await fixture.servers.query(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() AND wait_event_type = 'Lock'",
            ["tarsy-tool-runner"],
          );
          return waiting.length > 0;
        },
        2_500,
      );
      return { asked };
    });
    expect(await answer.asked).to.deep.equal({ kind: "refused", reason: "session_cancelled" });
    expect(await fixture.started(call.call_id)).to.deep.equal([]);
  });

  it("never starts an id that was abandoned", async () => {
    const call = newCall("write");
    const { sessionId, executionId, epoch } = session;
    const id = { callId: call.call_id, sessionId, executionId, epoch, name: call.name, readOnly: false };
    expect(await claimToolCall(fixture.db, id, "abandoned")).to.deep.equal({ kind: "claimed" });
    expect(await ask(call)).to.deep.equal({ kind: "refused", reason: "abandoned" });
    expect(await fixture.started(call.call_id)).to.deep.equal([]);
  });

  it("either runs or abandons an id when both are tried concurrently", async () => {
    for (let round = 0; round < 30; round += 1) {
      const call = newCall("write");
      const { sessionId, executionId, epoch } = session;
      const id = { callId: call.call_id, sessionId, executionId, epoch, name: call.name, readOnly: false };
      const [answer, claim] = await Promise.all([ask(call), claimToolCall(fixture.db, id, "abandoned")]);
      const ran = (await fixture.started(call.call_id)).length;
      expect(claim.kind).to.equal(ran === 1 ? "taken" : "claimed");
      expect(answer.kind).to.equal(ran === 1 ? "result" : "refused");
    }
  });

  it("does not answer a call of one session with the outcome of another's", async () => {
    const [call, other] = [newCall("write"), await fixture.session()];
    await ask(call);
    const forged = { ...call, session_id: other.sessionId, execution_id: other.executionId };
    expect(await ask(forged)).to.deep.equal({ kind: "refused", reason: "id_taken" });
  });

  it("answers unknown_tool for a tool that is not configured", async () => {
    const call = newCall("nothing");
    expect(await ask(call)).to.deep.equal({ kind: "unknown_tool" });
    expect(await fixture.row(call.call_id)).to.equal(undefined);
  });

  it("ends a tool that never replies at the call's deadline", async () => {
    const call = newCall("hang", { timeout_ms: 200 });
    const message = "timed out after 0.2 s; whether it took effect is not known";
    expect(await ask(call)).to.deep.equal({ kind: "timeout", message });
    expect(await fixture.row(call.call_id)).to.include({
      state: "failed",
      failure: "timeout",
      result: message,
    });
  });

  it("answers that a call is still running, and ends it when its owner cancels", async () => {
    const call = newCall("hang_safe", { epoch: 1 });
    expect(await ask(call)).to.deep.equal({ kind: "running" });
    const answer = askUntilOver(call);
    cancelToolCall(fixture.bus, { call_id: call.call_id, epoch: 1, reason: "cancelled" });
    expect(await answer).to.deep.equal({ kind: "cancelled", message: "cancelled by the session's owner" });
    expect(await fixture.started(call.call_id)).to.have.length(1);
  });

  it("ignores a cancel from an earlier epoch", async () => {
    const owner = await fixture.takeOver(await fixture.session());
    const call = newCall("hang_safe", {}, owner);
    const answer = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    cancelToolCall(fixture.bus, { call_id: call.call_id, epoch: owner.epoch - 1, reason: "cancelled" });
    cancelToolCall(fixture.bus, { call_id: call.call_id, epoch: owner.epoch, reason: "deadline" });
    expect(await answer).to.deep.equal({ kind: "timeout", message: "timed out" });
  });

  it("finds a cancel that the bus lost", async () => {
    const owner = await fixture.session();
    const call = newCall("hang_safe", {}, owner);
    const answer = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    await fixture.cancel(owner);
    expect(await answer).to.deep.equal({ kind: "cancelled", message: "the session was cancelled" });
  });

  it("stores a binary result as text, with a remark", async () => {
    const call = newCall("binary");
    const content =
      "hi\uFFFD\uFFFD\uFFFD\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";
    expect(await ask(call)).to.deep.equal({ kind: "result", content, is_error: false });
    expect(await fixture.row(call.call_id)).to.include({ result: content });
  });

  it("truncates 50 MB to the limit, with bounded memory", async () => {
    await using small = await ToolFixture.start(TOOLS);
    const runner = await small.runner();
    const before = await runner.peakMemory();
    const call = newCall("huge", {}, await small.session());
    const answer = await until("the call is over", async () => {
      const reply = await request(small.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000);
      return reply.answer.kind === "running" ? undefined : reply.answer;
    });
    expect(answer).to.deep.equal({ kind: "stored" });
    const stored = await readToolCall(small.db, call.call_id);
    const { progress } = stored ?? {};
    const text =
      progress?.kind === "over" && progress.outcome.kind === "result" ? progress.outcome.content : "";
    expect(Buffer.byteLength(text)).to.be.within(MAX_RESULT_BYTES - 3_000, MAX_RESULT_BYTES);
    expect(text).to.match(
      /^\[Cut: this result has 52428800 bytes; only a part is shown\.\nIts first 16777216 bytes/u,
    );
    // What counts the bytes is tested in byte-room.test.ts; how much memory the process takes for them depends on its collector.
    if (NIGHTLY) expect((await runner.peakMemory()) - before).to.be.below(300 * 1024 * 1024);
  });
});
