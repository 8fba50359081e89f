import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { AnsweringRunner, listedTool } from "./answering-runner.ts";
import type { ChainOptions } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";

const TOOLS = [
  listedTool("k8s.delete", {
    read_only: false,
    effect: "destructive",
    effect_known: true,
    gate: "deny",
    definition_hash: "abc",
  }),
  listedTool("k8s.mystery", { read_only: false, effect: "write", effect_known: false, gate: "unknown" }),
  listedTool("k8s.pods", { effect: "read", effect_known: true, gate: "allow", definition_hash: "def" }),
];

describe("the gate of tool calls", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const runCalling = async (name: string, options: ChainOptions = {}) => {
    using runner = await AnsweringRunner.start(fixture.executor.bus, { listing: { tools: TOOLS } });
    await fixture.play(
      { when: { call: 1 }, steps: [{ tool_call: { name, arguments: {} } }] },
      { steps: [{ text: "so be it" }] },
    );
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"], ...options });
    expect(await fixture.run(id)).to.equal("completed");
    return { id, requests: runner.requests };
  };

  it("denies what changes things: nothing is sent, the model and the audit log get the denial", async () => {
    const { id, requests } = await runCalling("k8s.delete");
    expect(requests).to.deep.equal([]);
    const rows = JSON.stringify(await fixture.timelineRows(id));
    expect(rows).to.include('Error executing tool: denied by policy: the tool \\"k8s.delete\\" may change');
    expect(
      await fixture.executor.query(
        `SELECT m.tool_name, t.metadata ->> 'is_error' AS is_error, i.error_message LIKE 'denied by policy%' AS is_denied
         FROM messages m JOIN timeline_events t USING (execution_id) JOIN mcp_interactions i
           ON i.interaction_id = t.mcp_interaction_id
         WHERE m.session_id = $1 AND m.role = 'tool' AND t.event_type = 'tool_result'`,
        [id],
      ),
    ).to.deep.equal([{ tool_name: "k8s.delete", is_error: "true", is_denied: true }]);
    const audited = async () =>
      fixture.executor.query(
        "SELECT service, action, result, detail ->> 'reason' AS reason FROM audit_log WHERE session_id = $1 AND action = 'tool.call'",
        [id],
      );
    await until("the refusal is audited", async () => (await audited()).length > 0);
    expect(await audited()).to.deep.equal([
      { service: "executor", action: "tool.call", result: "refused", reason: "denied_by_policy" },
    ]);
  });

  it("allows it to an agent of type action", async () => {
    const { requests } = await runCalling("k8s.delete", { agentType: "action" });
    expect(requests).to.have.length(1);
  });

  it("denies unclassified tools only under the strict policy", async () => {
    expect((await runCalling("k8s.mystery")).requests).to.have.length(1);
    expect((await runCalling("k8s.mystery", { toolPolicy: "strict" })).requests).to.have.length(0);
  });

  it("answers a call by another name with the right one", async () => {
    const { id, requests } = await runCalling("pods");
    expect(requests).to.deep.equal([]);
    expect(JSON.stringify(await fixture.timelineRows(id))).to.include(
      'Error executing tool: unknown tool \\"pods\\": call \\"k8s__pods\\" instead',
    );
  });

  it("sends what a ReAct agent writes as it is, for the tool-runner to fit to the tool's schema", async () => {
    const parameters_schema = '{"properties":{"limit":{"type":"integer"},"all":{"type":"boolean"}}}';
    using runner = await AnsweringRunner.start(fixture.executor.bus, {
      listing: { tools: [listedTool("k8s.pods", { parameters_schema })] },
    });
    await fixture.play(
      {
        when: { call: 1 },
        steps: [{ text: 'Thought: a\nAction: k8s.pods\nAction Input: {"limit": "5", "all": "true"}' }],
      },
      { steps: [{ text: "Thought: b\nFinal Answer: c" }] },
    );
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(runner.requests.map((request) => request.arguments)).to.deep.equal(['{"limit":"5","all":"true"}']);
  });

  it("sends effect and definition hash of the listing with the call", async () => {
    const { requests } = await runCalling("k8s.pods");
    expect(requests[0]).to.include({ effect: "read", definition_hash: "def" });
  });
});
