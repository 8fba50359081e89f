import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import type { ToolEffect } from "#shared/contracts/tool-list.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { pollOutcome } from "../call-rows.ts";
import { describeEffect } from "../stub/apply-tool-rules.ts";
import type { Tool } from "../tool.ts";
import { serveInProcess } from "./serve-in-process.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/** A tool that waits for the test before it sends, and again before it answers. */
class SteppedTool implements Tool {
  readonly description: Tool["description"];
  readonly #mayConnect = Promise.withResolvers<void>();
  readonly #mayAnswer = Promise.withResolvers<void>();
  called = 0;
  sent = 0;

  constructor(effect: ToolEffect) {
    const name = `lab.${effect}`;
    const texts = { name, server: "lab", description: "", parameters_schema: '{"type":"object"}' };
    this.description = { ...texts, ...describeEffect(effect), gate: "allow" };
  }

  connect(): void {
    this.#mayConnect.resolve();
  }

  answer(): void {
    this.#mayAnswer.resolve();
  }

  readonly call: Tool["call"] = async (_args, _signal, { beforeSend }) => {
    this.called += 1;
    await this.#mayConnect.promise;
    await beforeSend();
    this.sent += 1;
    await this.#mayAnswer.promise;
    return { isError: false, content: ["done"] };
  };
}

describe("a call on its way to its tool", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = resources.use(await ToolFixture.start({}));
  });
  beforeEach(async () => {
    session = await fixture.session({ mcp_servers: ["lab"] });
  });
  after(async () => resources.disposeAsync());

  const callOf = (tool: Tool, more: Partial<ToolCallRequest> = {}, owner = session): ToolCallRequest =>
    toolCallRequest(owner, tool.description.name, more);
  const ask = async (call: ToolCallRequest): Promise<ToolCallAnswer> =>
    (await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000)).answer;
  const progressOf = async ({ call_id }: ToolCallRequest): Promise<unknown> => {
    const rows: unknown = await fixture.db.query(
      "SELECT effect, phase, read_only, runner FROM tool_calls WHERE call_id = $1",
      [call_id],
    );
    return Array.isArray(rows) ? rows[0] : undefined;
  };

  it("has its effect, its phase and its runner in its row", async () => {
    const [tool, runnerId] = [new SteppedTool("write"), randomUUID()];
    await using _ = await serveInProcess(fixture, [tool], { runnerId });
    const call = callOf(tool);
    const answer = ask(call);
    await until("it is claimed", () => tool.called === 1);
    const row = { effect: "write", read_only: false, runner: runnerId };
    expect(await progressOf(call)).to.deep.equal({ ...row, phase: "claimed" });
    tool.connect();
    await until("it is sent", () => tool.sent === 1);
    expect(await progressOf(call)).to.deep.equal({ ...row, phase: "sending" });
    tool.answer();
    expect(await answer).to.include({ kind: "result" });
  });

  it("is treated as the stricter of two opinions says", async () => {
    const tool = new SteppedTool("read");
    tool.connect();
    tool.answer();
    await using _ = await serveInProcess(fixture, [tool]);
    const [agreed, stricter] = [callOf(tool, { effect: "idempotent" }), callOf(tool, { effect: "write" })];
    await ask(agreed);
    await ask(stricter);
    expect(await progressOf(agreed)).to.include({ effect: "idempotent", read_only: true, phase: "claimed" });
    expect(await progressOf(stricter)).to.include({ effect: "write", read_only: false, phase: "sending" });
  });

  it("may be made again if its runner is lost before it was sent, and is not sent any more", async () => {
    const tool = new SteppedTool("write");
    await using _ = await serveInProcess(fixture, [tool]);
    const call = callOf(tool);
    const answer = ask(call);
    await until("it is claimed", () => tool.called === 1);
    await fixture.forgetRunner(call.call_id);
    const lost = { kind: "interrupted", message: "its runner died" };
    expect(await pollOutcome(fixture.db, call.call_id, 5_000)).to.deep.equal(lost);
    tool.connect();
    expect(await answer).to.deep.equal(lost);
    expect(tool.sent).to.equal(0);
  });

  it("is not made again if its runner is lost after it was sent", async () => {
    const tool = new SteppedTool("write");
    await using _ = await serveInProcess(fixture, [tool]);
    const call = callOf(tool);
    const answer = ask(call);
    tool.connect();
    await until("it is sent", () => tool.sent === 1);
    await fixture.forgetRunner(call.call_id);
    expect(await pollOutcome(fixture.db, call.call_id, 5_000)).to.include({ kind: "outcome_unknown" });
    tool.answer();
    expect(await answer).to.include({ kind: "outcome_unknown" });
  });

  it("is not sent after a takeover or a cancel of its session", async () => {
    for (const [change, outcome] of [
      ["takeOver", { kind: "interrupted", message: "another executor has taken the session over" }],
      ["cancel", { kind: "cancelled", message: "the session was cancelled; the call was not made" }],
    ] as const) {
      const owner = await fixture.session({ mcp_servers: ["lab"] });
      const tool = new SteppedTool("write");
      await using _ = await serveInProcess(fixture, [tool]);
      const answer = ask(callOf(tool, { timeout_ms: 4_000 }, owner));
      await until("it is claimed", () => tool.called === 1);
      await fixture[change](owner);
      tool.connect();
      expect(await answer).to.deep.equal(outcome);
      expect(tool.sent).to.equal(0);
    }
  });

  it("says at its deadline whether it was made", async () => {
    const tool = new SteppedTool("write");
    await using _ = await serveInProcess(fixture, [tool]);
    const message = "timed out after 0.3 s; the call was not made";
    expect(await ask(callOf(tool, { timeout_ms: 300 }))).to.deep.equal({ kind: "timeout", message });
    tool.connect();
    expect(tool.sent).to.equal(0);
  });
});
