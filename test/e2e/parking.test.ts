import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { until } from "../support/until.ts";

const PLACES = 5;
/** Long enough for a critical alert to come while all of them run. */
const SLOW = { text: "one two three four five six seven eight", chunk_size: 4, chunk_delay: "1200ms" };
const TRACED = "STEP BY STEP";

const CONFIG = {
  tarsy: {
    queue: { worker_count: PLACES, max_concurrent_sessions: PLACES },
    defaults: { llm_provider: "scripted", alert_type: "low" },
    mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
    agents: { Investigator: { mcp_servers: ["k8s"] } },
    agent_chains: {
      low: {
        alert_types: ["low"],
        priority: "low",
        stages: [
          { name: "analysis", agents: [{ name: "Investigator", iteration_strategy: "native-thinking" }] },
        ],
      },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { contains: "URGENT" }, steps: [{ text: "it was the disk" }] },
      { when: { contains: TRACED, call: 1 }, steps: [{ tool_call: { name: "k8s.restart", arguments: {} } }] },
      { when: { contains: TRACED }, steps: [SLOW] },
      { steps: [{ text: "done" }] },
    ],
  },
  stubTools: {
    call_log: "calls.jsonl",
    servers: { k8s: { restart: { read_only: false, results: [{ text: "restarted" }] } } },
  },
};

describeNightly("a critical alert while all places are taken, through all five services", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({ ownServers: true, config: CONFIG });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const rows = async (sql: string, ids: readonly string[]) => pipeline.servers.query(sql, [ids]);
  const calls = async () =>
    (await readFile(join(pipeline.configDir, "calls.jsonl"), "utf8"))
      .split("\n")
      .filter((line) => line !== "");

  it("starts at once in the place of one of lower priority, which goes on later and repeats no tool call", async () => {
    const { client } = pipeline;
    const low: string[] = [];
    for (let n = 0; n < PLACES; n++) low.push(await client.submit(`${TRACED} ${n}`));
    await until("the model writes in all places", async () => {
      const sql = `SELECT DISTINCT t.session_id FROM timeline_events t JOIN alert_sessions s USING (session_id)
        WHERE s.session_id = ANY($1) AND t.status = 'streaming' AND t.event_type IN ('llm_response', 'final_analysis')`;
      return (await rows(sql, low)).length === PLACES;
    });
    const critical = await client.submit("URGENT", { priority: "critical" });
    const { status } = await client.waitFor(critical, ["completed"], 60_000);
    expect(status).to.equal("completed");
    for (const id of low) expect((await client.waitFor(id, ["completed"])).status).to.equal("completed");
    const events = await rows(
      `SELECT payload->>'type' AS type, payload->>'by' AS by FROM events
       WHERE session_id = ANY($1) AND payload->>'type' IN ('session.parked', 'session.resumed') ORDER BY id`,
      [...low, critical],
    );
    expect(events).to.deep.equal([
      { type: "session.parked", by: "priority" },
      { type: "session.resumed", by: null },
    ]);
    // It ended before any of those that it could have waited for.
    const first = await rows(
      "SELECT session_id FROM alert_sessions WHERE session_id = ANY($1) ORDER BY completed_at LIMIT 1",
      [...low, critical],
    );
    expect(first).to.deep.equal([{ session_id: critical }]);
    const [waited] = await rows(
      "SELECT extract(epoch FROM started_at - created_at)::float8 < 10 AS soon FROM alert_sessions WHERE session_id = ANY($1)",
      [critical],
    );
    expect(waited).to.deep.equal({ soon: true });
    expect(await calls()).to.have.length(PLACES);
    const parked = await rows(
      `SELECT parkings, attempts, interruptions, paused_ms > 0 AS paused, parked_at, park_requested_at FROM session_runtime
       WHERE session_id = ANY($1) AND parkings > 0`,
      low,
    );
    expect(parked).to.deep.equal([
      { parkings: 1, attempts: 0, interruptions: 0, paused: true, parked_at: null, park_requested_at: null },
    ]);
    const answers = await rows(
      `SELECT count(*)::int AS sessions, min(n)::int AS least, max(n)::int AS most FROM (
         SELECT count(*) AS n FROM llm_interactions WHERE session_id = ANY($1) AND interaction_type <> 'executive_summary'
         GROUP BY session_id) counted`,
      low,
    );
    expect(answers).to.deep.equal([{ sessions: PLACES, least: 2, most: 2 }]);
  });

  it("keeps a lane of lower priority a place, however many critical alerts come", async () => {
    const { client } = pipeline;
    const low: string[] = [];
    for (let n = 0; n < PLACES; n++) low.push(await client.submit(`${TRACED} again ${n}`));
    await until("all run", async () => {
      const sql = "SELECT 1 FROM alert_sessions WHERE session_id = ANY($1) AND status = 'in_progress'";
      return (await rows(sql, low)).length === PLACES;
    });
    const critical = await Promise.all(
      Array.from({ length: 12 }, async () => client.submit(`URGENT ${TRACED}`, { priority: "critical" })),
    );
    for (const id of [...critical, ...low]) {
      expect((await client.waitFor(id, ["completed"])).status).to.equal("completed");
    }
    const [parked] = await rows(
      "SELECT count(*) FILTER (WHERE parkings > 0)::int AS n FROM session_runtime WHERE session_id = ANY($1)",
      low,
    );
    expect(parked)
      .to.have.property("n")
      .that.is.within(1, PLACES - 1);
  });

  it("is parked and resumed by a person, who can cancel it meanwhile", async () => {
    const { client } = pipeline;
    const id = await client.submit(`${TRACED} by hand`);
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("stream.chunk");
    const answer = await client.request("POST", `/api/v1/sessions/${id}/park`, { reason: "later" });
    expect(answer.body).to.include({ status: "parking" });
    expect(await watch.next("session.parked")).to.include({ by: "operator", reason: "later" });
    const { body } = await client.request("GET", `/api/v1/sessions/${id}`);
    expect(body["parked"]).to.include({ by: "operator", reason: "later" });
    await client.request("POST", `/api/v1/sessions/${id}/resume`);
    await watch.next("session.resumed");
    expect((await client.waitFor(id, ["completed"])).status).to.equal("completed");
    const other = await client.submit(`${TRACED} to be cancelled`);
    await client.waitFor(other, ["in_progress"]);
    await client.request("POST", `/api/v1/sessions/${other}/park`);
    await until("it is parked", async () => {
      const [row] = await rows(
        "SELECT parked_at IS NOT NULL AS parked FROM session_runtime WHERE session_id = ANY($1)",
        [other],
      );
      return JSON.stringify(row) === '{"parked":true}';
    });
    expect((await client.request("POST", `/api/v1/sessions/${other}/cancel`)).status).to.equal(200);
    await client.waitFor(other, ["cancelled"]);
  });
});
