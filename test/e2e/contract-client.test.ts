import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { describeNightly } from "../support/nightly.ts";
import { ContractClient } from "../support/contract-client.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { until } from "../support/until.ts";

const LOOP = "native-thinking";
const TARSY = {
  defaults: {
    llm_provider: "scripted",
    alert_type: "outage",
    scoring: { enabled: true },
    memory: { enabled: true },
  },
  agents: {
    Lead: { iteration_strategy: LOOP },
    Looker: { description: "Looks at one thing", iteration_strategy: LOOP },
  },
  agent_chains: {
    "outage-chain": {
      alert_types: ["outage"],
      sub_agents: ["Looker"],
      stages: [{ name: "look", agents: [{ name: "Lead" }] }],
    },
    "kubernetes-agent-chain": {
      alert_types: ["kubernetes"],
      stages: [{ name: "look", agents: [{ name: "Lead" }] }],
    },
  },
};
const TASKS = ["pods", "disks", "network"];
const LESSON = "An outage of the shop begins on its disks";
const LESSONS = {
  create: [{ content: LESSON, category: "semantic", valence: "negative" }],
  reinforce: [],
  deprecate: [],
};
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { agent: "Looker" }, steps: [{ text: "seen: the disk is full", chunk_size: 4 }] },
    { when: { agent: "ChatAgent" }, steps: [{ text: "because nobody deleted the logs", chunk_size: 4 }] },
    {
      when: { agent: "Lead", call: 1 },
      steps: TASKS.map((task) => ({
        tool_call: { name: "tarsy.dispatch_agent", arguments: { name: "Looker", task } },
      })),
    },
    { when: { agent: "Lead" }, steps: [{ text: "the disk is full", chunk_size: 4 }] },
    { when: { call: 1 }, steps: [{ text: "well done\nTAGS: incomplete_evidence\n84" }] },
    { when: { call: 2 }, steps: [{ text: "no tool is missing" }] },
    { steps: [{ text: JSON.stringify(LESSONS) }] },
  ],
};

const parseEntries = compileParser(
  "entries of a timeline",
  Type.Array(
    Type.Object({
      id: Type.String(),
      event_type: Type.String(),
      status: Type.String(),
      content: Type.Optional(Type.String()),
      parent_execution_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
);

describeNightly("a client of the contract", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({ config: { tarsy: TARSY, script: SCRIPT } });
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });
  after(() => pipeline[Symbol.asyncDispose]());

  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${pipeline.system.api}/api/v1/${path}`);
    expect(response.status, path).to.equal(200);
    return response.json();
  };
  const scored = async (id: string) => {
    await pipeline.client.waitFor(id, ["completed"]);
    await until("the session is scored", async () => {
      const { body } = await pipeline.client.request("GET", `/api/v1/sessions/${id}/score`);
      return body["status"] === "completed" && body;
    });
  };

  it("follows sub-agents, the score and a question, and finds over REST what it has seen", async () => {
    const id = await pipeline.client.submit("the shop is away");
    using watcher = new ContractClient(pipeline.system.dialect, id);
    await scored(id);
    const asked = await pipeline.client.request("POST", `/api/v1/sessions/${id}/chat/messages`, {
      content: "Why is it full?",
    });
    expect(asked.status).to.equal(202);
    const { chat_id, stage_id } = asked.body;
    const of = (type: string) => watcher.messages.filter((message) => message["type"] === type);
    const ofStage = () => of("stage.status").filter((message) => message["stage_id"] === stage_id);
    await watcher.until(() => ofStage().some(({ status }) => status === "completed"));

    expect(of("chat.created")).to.have.length(1);
    expect(of("chat.created")[0]).to.include({ chat_id, session_id: id });
    expect(ofStage().map(({ status, stage_type }) => ({ status, stage_type }))).to.deep.equal([
      { status: "started", stage_type: "chat" },
      { status: "completed", stage_type: "chat" },
    ]);
    const scores = of("session.score_updated").map(({ scoring_status }) => scoring_status);
    expect(scores.slice(-3)).to.deep.equal(["in_progress", "memorizing", "completed"]);
    // The session ended once, and stays as it ended.
    expect(of("session.status").filter(({ status }) => status === "completed")).to.have.length(1);
    expect(watcher.status).to.equal("completed");

    const session = await get(`sessions/${id}`);
    expect(session).to.deep.include({
      status: "completed",
      final_analysis: "the disk is full",
      chat_enabled: true,
      chat_id,
      chat_message_count: 1,
      latest_score: 84,
      scoring_status: "completed",
    });
    expect(session).to.have.nested.property("stages[0].executions[0].agent_name", "Lead");
    expect(await get("sessions?alert_type=outage")).to.have.nested.property(
      "sessions[0].has_sub_agents",
      true,
    );
    const [parent] = await pipeline.servers.query(
      "SELECT execution_id FROM agent_executions WHERE session_id = $1 AND agent_name = 'Lead'",
      [id],
    );
    const parentId = String(Object.values(parent ?? {})[0]);
    for (const [index, task] of TASKS.entries()) {
      expect(session)
        .to.have.nested.property(`stages[0].executions[0].sub_agents[${index}]`)
        .that.includes({
          agent_name: "Looker",
          agent_index: index + 1,
          parent_execution_id: parentId,
          status: "completed",
          task,
        });
    }
    const children = of("execution.status").filter((message) => message["parent_execution_id"] === parentId);
    const ended = children.filter(({ status }) => status === "completed");
    expect(new Set(ended.map(({ execution_id }) => execution_id)).size).to.equal(3);

    const entries = parseEntries(await get(`sessions/${id}/timeline`));
    const wanted = entries
      .filter(({ event_type }) => event_type !== "executive_summary")
      .map((entry) => [entry.id, entry.event_type, entry.status, entry.content ?? ""].join(" "));
    const seen = [...watcher.entries].map(([entry, { type, status, content }]) =>
      [entry, type, status, content].join(" "),
    );
    expect(seen.toSorted()).to.deep.equal(wanted.toSorted());
    const byParent = Map.groupBy(entries, ({ parent_execution_id }) => parent_execution_id === parentId);
    expect(byParent.get(true)?.map(({ event_type }) => event_type)).to.include.members([
      "task_assigned",
      "final_analysis",
    ]);
    expect(entries.map(({ event_type }) => event_type)).to.include.members([
      "user_question",
      "llm_tool_call",
    ]);
    expect(await get(`sessions/${id}/trace`))
      .to.have.nested.property("stages[0].executions[0].sub_agents")
      .that.has.length(3);
  });

  it("shows the score, and what was learned and told", async () => {
    const first = await pipeline.client.submit("the shop is away");
    await scored(first);
    const learned = {
      project: "default",
      content: LESSON,
      category: "semantic",
      valence: "negative",
      confidence: 0.7,
      seen_count: 1,
      alert_type: "outage",
      chain_id: "outage-chain",
      deprecated: false,
    };
    expect(await get(`sessions/${first}/score`)).to.deep.include({
      total_score: 84,
      score_analysis: "well done",
      tool_improvement_report: "no tool is missing",
      failure_tags: ["incomplete_evidence"],
      score_triggered_by: "auto",
      status: "completed",
      error_message: null,
    });
    const memories = await get(`sessions/${first}/memories`);
    expect(memories).to.have.length(1);
    expect(memories)
      .to.have.nested.property("[0]")
      .that.includes({ ...learned, source_session_id: first });
    const second = await pipeline.client.submit("an outage of the shop");
    await pipeline.client.waitFor(second, ["completed"]);
    expect(await get(`sessions/${second}/injected-memories`))
      .to.have.nested.property("[0]")
      .that.includes({ content: LESSON, category: "semantic" });
  });

  it("is told in a sentence why a question or a score is refused", async () => {
    const post = async (path: string, body?: object) =>
      pipeline.client.request("POST", `/api/v1/sessions/${path}`, body);
    const unknown = "00000000-0000-4000-8000-000000000000";
    expect((await post(`${unknown}/chat/messages`, { content: "Why?" })).status).to.equal(404);
    expect((await post(`${unknown}/score`)).status).to.equal(404);
    const id = await pipeline.client.submit("the shop is away again");
    await scored(id);
    const tooLong = await post(`${id}/chat/messages`, { content: "😀".repeat(50_001) });
    expect(tooLong.status).to.equal(202);
    await pipeline.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    const empty = await post(`${id}/chat/messages`, { content: " " });
    expect(empty.status).to.equal(400);
    expect(empty.body["message"]).to.be.a("string").that.includes("content");
  });
});
