import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { RetryableError } from "#shared/errors.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";

const TOOLS = {
  lab: {
    look: { read_only: true, results: [{ hang: true }] },
    write: { results: [{ hang: true }] },
    quick: { results: [{ delay: "500ms", text: "written" }] },
    slow: { results: [{ delay: "3s", text: "written" }] },
  },
};
const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

describe("a tool call whose runner dies, freezes or stops", () => {
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = await ToolFixture.start(TOOLS, { ownServers: true });
  });
  beforeEach(async () => {
    session = await fixture.session();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const newCall = (tool: string): ToolCallRequest => toolCallRequest(session, `lab.${tool}`);
  /** Repeats the request as an executor does, until the call is over. */
  const askUntilOver = async (call: ToolCallRequest): Promise<ToolCallAnswer> =>
    until("the call is over", async () => {
      try {
        const { answer } = await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 7_000);
        return answer.kind === "running" || answer.kind === "busy" ? undefined : answer;
      } catch (error) {
        if (error instanceof RetryableError) return undefined;
        throw error;
      }
    });

  for (const [tool, answer] of [
    ["look", { kind: "interrupted", message: "its runner died" }],
    ["write", { kind: "outcome_unknown", message: "its runner died; whether it took effect is not known" }],
  ] as const) {
    it(`ends as ${answer.kind} when lab.${tool}'s runner is killed, and is not run again`, async () => {
      await using killed = await fixture.runner();
      const call = newCall(tool);
      const over = askUntilOver(call);
      await fixture.untilStarted(call.call_id);
      await using other = await fixture.runner();
      await killed.end("SIGKILL");
      await fixture.forgetRunner(call.call_id);
      expect(await over).to.deep.equal(answer);
      expect(await fixture.started(call.call_id)).to.deep.equal([
        { name: call.name, arguments: call.arguments, pid: killed.pid },
      ]);
      expect(other.pid).to.not.equal(killed.pid);
    });
  }

  it("counts as lost only once its last heartbeat is no longer valid", async () => {
    await using killed = await fixture.runner();
    const call = newCall("write");
    const over = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    await using other = await fixture.runner();
    await killed.end("SIGKILL");
    const [last] = await fixture.db.query("SELECT alive_until FROM tool_calls WHERE call_id = $1", [
      call.call_id,
    ]);
    expect(await over).to.include({ kind: "outcome_unknown" });
    const ended =
      "SELECT completed_at >= ($2::json ->> 'alive_until')::timestamptz AS later FROM tool_calls WHERE call_id = $1";
    expect(await fixture.db.query(ended, [call.call_id, JSON.stringify(last)])).to.deep.equal([
      { later: true },
    ]);
    expect(other.pid).to.be.above(0);
  });

  it("keeps the outcome it was given as lost when its runner was only frozen", async () => {
    await using frozen = await fixture.runner();
    const call = newCall("quick");
    const over = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    frozen.freeze();
    await using other = await fixture.runner();
    await fixture.forgetRunner(call.call_id);
    expect(await over).to.include({ kind: "outcome_unknown" });
    frozen.thaw();
    await frozen.end("SIGTERM");
    expect(await fixture.row(call.call_id)).to.include({ state: "failed", failure: "outcome_unknown" });
    expect(await askUntilOver(call)).to.include({ kind: "outcome_unknown" });
    expect(other.pid).to.be.above(0);
  });

  it("completes within the grace period of a runner that is stopped", async () => {
    await using stopped = await fixture.runner();
    const call = newCall("slow");
    const over = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    expect(await stopped.end("SIGTERM")).to.equal(0);
    expect(await fixture.row(call.call_id)).to.include({ state: "completed", result: "written" });
    await using other = await fixture.runner();
    expect(await over).to.deep.equal({ kind: "result", content: "written", is_error: false });
    expect(other.pid).to.be.above(0);
  });

  it("is aborted and recorded after the grace period", async () => {
    await using stopped = await fixture.runner({ TOOL_STOP_GRACE_MS: "100" });
    const [look, write] = [newCall("look"), newCall("write")];
    const answers = Promise.all([askUntilOver(look), askUntilOver(write)]);
    await Promise.all([fixture.untilStarted(look.call_id), fixture.untilStarted(write.call_id)]);
    expect(await stopped.end("SIGTERM")).to.equal(0);
    expect(await answers).to.deep.equal([
      { kind: "interrupted", message: "its runner was stopped" },
      {
        kind: "outcome_unknown",
        message: "its runner was stopped; whether it took effect is not known",
      },
    ]);
  });

  it("is recorded once Postgres is back", async () => {
    await using runner = await fixture.runner();
    const call = newCall("slow");
    const over = askUntilOver(call);
    await fixture.untilStarted(call.call_id);
    await fixture.servers.stopPostgres();
    await fixture.servers.restartPostgres();
    expect(await over).to.deep.equal({ kind: "result", content: "written", is_error: false });
    expect(await fixture.started(call.call_id)).to.have.length(1);
    expect(runner.pid).to.be.above(0);
  });
});
