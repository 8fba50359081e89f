import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { attemptId, toolCallId } from "#shared/contracts/tool-call-id.ts";
import {
  MAX_CALLS_PER_ANSWER,
  MAX_RESULT_BYTES,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";

const TOOLS = {
  kubernetes: { delete_pod: {}, get_pod: { read_only: true } },
  "kubernetes-other": { delete_pod: {} },
  disks: { wipe: {} },
};
const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

describe("a tool-runner refuses", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;

  before(async () => {
    fixture = resources.use(await ToolFixture.start(TOOLS));
    await Promise.all([fixture.runner(), fixture.runner()]);
  });
  after(async () => resources.disposeAsync());

  /** A request with the right session, execution and epoch, as who knows the bus can make it. */
  const callOf = (
    { sessionId, executionId, epoch }: ClaimedSession,
    name: string,
    more: Partial<ToolCallRequest> = {},
  ): ToolCallRequest => {
    return {
      call_id: randomUUID(),
      session_id: sessionId,
      execution_id: executionId,
      epoch,
      name,
      arguments: `{"id":"${randomUUID()}"}`,
      timeout_ms: 60_000,
      max_result_chars: MAX_RESULT_BYTES,
      ...more,
    };
  };
  const ask = async (call: ToolCallRequest): Promise<ToolCallAnswer> =>
    (await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000)).answer;
  const reasonFor = async (call: ToolCallRequest): Promise<string> => {
    const answer = await ask(call);
    return answer.kind === "refused" ? answer.reason : answer.kind;
  };
  /** Expects the same refusal from any runner, however often, and that nothing ran. */
  const expectRefused = async (call: ToolCallRequest, reason: string) => {
    const reasons = await Promise.all(Array.from({ length: 4 }, async () => reasonFor(call)));
    expect(new Set(reasons)).to.deep.equal(new Set([reason]));
    expect(await fixture.row(call.call_id)).to.equal(undefined);
    expect(await fixture.started(call.arguments)).to.deep.equal([]);
  };

  it("a tool for an agent without tools", async () => {
    const session = await fixture.session({ mcp_servers: [] });
    await expectRefused(callOf(session, "kubernetes.delete_pod"), "tool_not_allowed");
  });

  it("a tool of a server that the agent does not have, also where one server's name begins with another's", async () => {
    const session = await fixture.session({ mcp_servers: ["kubernetes"] });
    await expectRefused(callOf(session, "disks.wipe"), "tool_not_allowed");
    await expectRefused(callOf(session, "kubernetes-other.delete_pod"), "tool_not_allowed");
    expect(await reasonFor(callOf(session, "kubernetes.delete_pod"))).to.equal("result");
  });

  it("a tool that the alert's selection left out", async () => {
    const session = await fixture.session({
      mcp_servers: ["kubernetes", "disks"],
      tool_choice: { kubernetes: ["get_pod"], disks: [] },
    });
    await expectRefused(callOf(session, "kubernetes.delete_pod"), "tool_not_allowed");
    await expectRefused(callOf(session, "disks.wipe"), "tool_not_allowed");
    expect(await reasonFor(callOf(session, "kubernetes.get_pod"))).to.equal("result");
  });

  it("any tool for an agent that calls none, for a synthesis, and for an execution of another session", async () => {
    for (const iteration_strategy of ["single-call", "synthesis", "synthesis-native-thinking"]) {
      const session = await fixture.session({ iteration_strategy });
      await expectRefused(callOf(session, "kubernetes.get_pod"), "tool_not_allowed");
    }
    const [session, other] = [await fixture.session(), await fixture.session()];
    const foreign = { ...session, executionId: other.executionId };
    await expectRefused(callOf(foreign, "kubernetes.get_pod"), "tool_not_allowed");
    // A synthesis comes after the agents of its stage.
    await fixture.db.query("UPDATE agent_executions SET agent_index = 2 WHERE execution_id = $1", [
      session.executionId,
    ]);
    await expectRefused(callOf(session, "kubernetes.get_pod"), "tool_not_allowed");
  });

  it("calls beyond the first of an answer, and calls that no answer asked for", async () => {
    const session = await fixture.session();
    const at = (index: number, iteration = 1, attempt = 1) =>
      callOf(session, "kubernetes.get_pod", {
        call_id: attemptId(toolCallId(session.executionId, { iteration, index }), attempt),
        position: { iteration, index, attempt },
      });
    await expectRefused(at(MAX_CALLS_PER_ANSWER), "too_many_calls");
    await expectRefused(at(7_999), "too_many_calls");
    await expectRefused(at(0, 2), "not_requested");
    await expectRefused({ ...at(1), call_id: randomUUID() }, "not_requested");
    expect(await reasonFor(at(MAX_CALLS_PER_ANSWER - 1))).to.equal("result");
    expect(await reasonFor(at(0, 1, 2))).to.equal("result");
  });
});
