import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../support/backing-servers.ts";
import { ContractClient } from "../support/contract-client.ts";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";

/** The number of concurrent sessions: more than the three executors have slots for. */
const SESSIONS = Number(process.env["CHAIN_SESSIONS"] ?? 30);

const TARSY = {
  queue: { worker_count: 5, max_concurrent_sessions: 15, max_parallel_agents: 4 },
  defaults: { llm_provider: "scripted", alert_type: "incident" },
  mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  agents: {
    Pods: { mcp_servers: ["k8s"], iteration_strategy: "react" },
    Metrics: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
    Reader: { mcp_servers: [] },
  },
  agent_chains: {
    incident: {
      alert_types: ["incident"],
      stages: [
        { name: "look", agents: [{ name: "Pods" }, { name: "Metrics" }, { name: "Reader" }] },
        { name: "think", replicas: 3, success_policy: "all", agents: [{ name: "Reader" }] },
        { name: "decide", agents: [{ name: "Reader" }] },
      ],
    },
    crowd: { alert_types: ["crowd"], stages: [{ name: "all", replicas: 20, agents: [{ name: "Reader" }] }] },
  },
};

const STUB_TOOLS = {
  servers: { k8s: { pods: { description: "Lists pods", read_only: true, results: [{ text: "3 pods" }] } } },
};

const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
    { when: { contains: "Bring the results" }, steps: [{ text: "together: memory" }] },
    { when: { call: 1, tools: true }, steps: [{ tool_call: { name: "k8s.pods", arguments: {} } }] },
    {
      when: { call: 1, contains: "**k8s.pods**" },
      steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input: {}" }],
    },
    { when: { last_contains: "Observation" }, steps: [{ text: "Final Answer: memory" }] },
    { steps: [{ text: "memory", chunk_size: 2 }] },
  ],
};

const parseEntries = compileParser(
  "timeline",
  Type.Array(
    Type.Object({
      id: Type.String(),
      event_type: Type.String(),
      status: Type.String(),
      content: Type.Optional(Type.String()),
    }),
  ),
);
const parseRows = compileParser("rows", Type.Array(Type.Object({ text: Type.String() })));

describeNightly("chains, through all five services and three executors", () => {
  let pipeline: PipelineFixture;
  let servers: BackingServers;
  let client: TarsyClient;

  before(async () => {
    const config = { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS };
    pipeline = await PipelineFixture.start({ config, executors: 3 });
    ({ servers, client } = pipeline);
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const texts = async (sql: string, parameters: unknown[]) =>
    parseRows(await servers.query(sql, parameters)).map(({ text }) => text);

  it(`completes ${SESSIONS} concurrent sessions, each with events numbered from 1 without a gap`, async function () {
    this.timeout(600_000);
    const ids = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => client.submit(`incident ${n}`)));
    const sessions = await Promise.all(ids.map((id) => client.waitFor(id, ["completed", "failed"], 500_000)));
    for (const session of sessions) {
      expect(session.status, session.error_message ?? "").to.equal("completed");
      expect(session).to.include({ final_analysis: "memory", executive_summary: "In short." });
      expect(session.stages.map(({ executions }) => executions.map(({ status }) => status))).to.deep.equal([
        ["completed", "completed", "completed"],
        ["completed"],
        ["completed", "completed", "completed"],
        ["completed"],
        ["completed"],
        ["completed"],
      ]);
    }
    const gaps = await texts(
      `SELECT session_id::text AS text FROM events WHERE session_id = ANY($1::uuid[])
       GROUP BY session_id HAVING min(seq) <> 1 OR max(seq) <> count(*)`,
      [ids],
    );
    expect(gaps).to.deep.equal([]);
  });

  it("looks to clients of the contract over the socket as over REST, whenever they come", async () => {
    const id = await client.submit("incident with watchers");
    const open = () => new ContractClient(pipeline.system.dialect, id);
    using early = open();
    await early.until(() => early.stages.size >= 1);
    using late = open();
    const session = await client.waitFor(id, ["completed", "failed"]);
    using afterwards = open();
    const response = await fetch(`${pipeline.system.api}/api/v1/sessions/${id}/timeline`);
    const wanted = parseEntries(await response.json())
      .filter(({ event_type }) => event_type !== "executive_summary")
      .map(({ id: entry, event_type, status, content = "" }) =>
        [entry, event_type, status, content].join(" "),
      );
    const stages = session.stages.map(({ stage_name, status }) => `${stage_name} ${status}`);
    for (const watcher of [early, late, afterwards]) {
      await watcher.until(() => watcher.status === "completed");
      const seen = [...watcher.entries].map(([entry, { type, status, content }]) =>
        [entry, type, status, content].join(" "),
      );
      expect(seen.toSorted()).to.deep.equal(wanted.toSorted());
      expect(
        [...watcher.stages].map(([index, status]) => `${session.stages[index - 1]?.stage_name} ${status}`),
      ).to.deep.equal(stages);
    }
  });

  it("runs no more of a stage's twenty agents concurrently than the queue allows", async () => {
    const id = await client.submit("many", { alert_type: "crowd" });
    const session = await client.waitFor(id, ["completed", "failed"]);
    expect(session.status, session.error_message ?? "").to.equal("completed");
    expect(session.stages.map(({ executions }) => executions.length)).to.deep.equal([20, 1, 1]);
    const [most] = await texts(
      `SELECT max((payload ->> 'active_executions')::int)::text AS text FROM events
       WHERE session_id = $1 AND payload ->> 'type' = 'session.progress'`,
      [id],
    );
    expect(most).to.equal("4");
  });

  it("cancels every agent of a running stage and starts no other", async () => {
    const id = await client.submit("HANG", { alert_type: "crowd" });
    const streaming = async () =>
      texts("SELECT event_id::text AS text FROM timeline_events WHERE session_id = $1", [id]);
    await until("four agents stream", async () => (await streaming()).length === 4);
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    const session = await client.waitFor(id, ["cancelled", "completed", "failed"]);
    expect(session.status).to.equal("cancelled");
    expect(session.stages.map(({ status }) => status)).to.deep.equal(["cancelled"]);
    const ends = new Set(session.stages[0]?.executions.map(({ status }) => status));
    expect(ends).to.deep.equal(new Set(["cancelled"]));
    expect(session.stages[0]?.executions).to.have.length(20);
    expect(session.timeline.map(({ status, content }) => `${status} ${content}`)).to.deep.equal(
      Array.from({ length: 4 }, () => "cancelled this goes on"),
    );
    expect(await texts("SELECT '' AS text FROM llm_interactions WHERE session_id = $1", [id])).to.deep.equal(
      [],
    );
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("session.completed");
    expect(watch.events().at(-1)).to.include({ type: "session.completed", status: "cancelled" });
  });
});
