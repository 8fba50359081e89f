import { createHash, randomUUID } from "node:crypto";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallId,
  MAX_CALLS_PER_ANSWER,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";

const TOOLS = {
  kubernetes: { delete_pod: {}, get_pod: { read_only: true } },
  "kubernetes-other": { delete_pod: {} },
  disks: { wipe: {} },
  gate: {
    look: { read_only: true },
    scale: { effect: "write" },
    unsaid: {},
    restart: { effect: "idempotent", approve: true },
  },
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
    session: ClaimedSession,
    name: string,
    more: Partial<ToolCallRequest> = {},
  ): ToolCallRequest => toolCallRequest(session, name, more);
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

  it("a tool that a sub-agent does not have, although the agent that started it does", async () => {
    const parent = await fixture.session({
      mcp_servers: ["kubernetes", "disks"],
      sub_agents: [
        { name: "Other", iteration_strategy: "native-thinking", mcp_servers: ["kubernetes"] },
        { name: "Reader", iteration_strategy: "native-thinking", mcp_servers: ["disks"] },
      ],
    });
    const executionId = randomUUID();
    const insert = async (name: string) =>
      fixture.db.query(
        `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
           iteration_state, llm_provider, parent_execution_id, task)
         SELECT $2, stage_id, session_id, $3, 1, 'native-thinking', iteration_state, llm_provider, execution_id, 'look'
         FROM agent_executions WHERE execution_id = $1
         ON CONFLICT (execution_id) DO UPDATE SET agent_name = $3`,
        [parent.executionId, executionId, name],
      );
    const child = { ...parent, executionId };
    await insert("Reader");
    await expectRefused(callOf(child, "kubernetes.get_pod"), "tool_not_allowed");
    expect(await reasonFor(callOf(child, "disks.wipe"))).to.equal("result");
    await insert("Nobody");
    await expectRefused(callOf(child, "disks.wipe"), "tool_not_allowed");
    expect(await reasonFor(callOf(parent, "kubernetes.get_pod"))).to.equal("result");
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

  it("a tool that changes things, unless its agent is there to act", async () => {
    const [investigator, actor] = [await fixture.session(), await fixture.session({ type: "action" })];
    await expectRefused(callOf(investigator, "gate.scale"), "denied_by_policy");
    expect(await reasonFor(callOf(actor, "gate.scale"))).to.equal("result");
    expect(await reasonFor(callOf(investigator, "gate.look"))).to.equal("result");
  });

  it("a tool with an unknown effect, only where the policy is strict", async () => {
    const strict = await fixture.session({}, { tool_policy: "strict" });
    await expectRefused(callOf(strict, "gate.unsaid"), "denied_by_policy");
    expect(await reasonFor(callOf(strict, "gate.look"))).to.equal("result");
    expect(await reasonFor(callOf(await fixture.session(), "gate.unsaid"))).to.equal("result");
  });

  it("a call that was not approved, or with other arguments than approved", async () => {
    const session = await fixture.session();
    const position = { iteration: 1, index: 0 };
    const first = toolCallId(session.executionId, position);
    const at = (attempt: number, args: string) =>
      callOf(session, "gate.restart", {
        position: { ...position, attempt },
        arguments: args,
      });
    const agreed = `{"pod":"${first}"}`;
    await expectRefused(at(1, agreed), "not_approved");
    await fixture.db.query(
      `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
       VALUES ($1, $2, $3, $4, 'gate.restart', '', $5, 'awaiting_approval', now() + interval '1 h')`,
      [
        randomUUID(),
        session.sessionId,
        session.executionId,
        first,
        createHash("sha256").update(agreed).digest("hex"),
      ],
    );
    await expectRefused(at(1, agreed), "not_approved");
    await fixture.db.query("UPDATE approvals SET state = 'approved' WHERE call_id = $1", [first]);
    await expectRefused(at(1, '{"pod":"another"}'), "not_approved");
    expect(await reasonFor(at(2, agreed))).to.equal("result");
    const audited: unknown = await fixture.db.query(
      "SELECT DISTINCT result FROM audit_log WHERE session_id = $1 AND detail->>'reason' = 'not_approved'",
      [session.sessionId],
    );
    expect(audited).to.deep.equal([{ result: "refused" }]);
  });

  it("calls beyond the first of an answer, and calls that no answer asked for", async () => {
    const session = await fixture.session();
    const at = (index: number, iteration = 1, attempt = 1) =>
      callOf(session, "kubernetes.get_pod", {
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
