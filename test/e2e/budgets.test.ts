import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { describeNightly, NIGHTLY, repetitions } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { until } from "../support/until.ts";

const WORKERS = repetitions({ daily: 10, nightly: 20 });
const EXECUTORS = repetitions({ daily: 2, nightly: 4 });
const KILLS = repetitions({ daily: 2, nightly: 6 });
const KILL_EVERY_MS = 4_000;
const LIMIT_USD = NIGHTLY ? 1 : 0.3;
/** Of a call, at 20 USD per million tokens of output: 0.001 USD, and 0.002 at most. */
const USAGE = { usage: { input_tokens: 100, output_tokens: 50 } };

const CALLS = [
  { when: { contains: "summaries of incident analyses" }, steps: [{ text: "In short." }, USAGE] },
  {
    when: { last_contains: "Conclude now" },
    steps: [{ delay: "100ms" }, { text: "Thought: enough\nFinal Answer: as far as I know" }, USAGE],
  },
  {
    steps: [
      { text: "Thought: look again\nAction: no.such_tool\n", chunk_size: 10, chunk_delay: "30ms" },
      { text: "Action Input: {}" },
      USAGE,
    ],
  },
];
const CONFIG = {
  tarsy: {
    queue: { worker_count: WORKERS / EXECUTORS, max_concurrent_sessions: WORKERS },
    system: {
      cost_estimation: { model_rates: { priced: { input_per_million: 0, output_per_million: 20 } } },
    },
    defaults: { llm_provider: "scripted", alert_type: "test", max_iterations: 1_000 },
    agents: { Restless: { mcp_servers: [], iteration_strategy: "react" } },
    agent_chains: {
      "test-chain": { alert_types: ["test"], stages: [{ name: "look", agents: [{ name: "Restless" }] }] },
    },
  },
  providers: {
    llm_providers: {
      scripted: { type: "scripted", model: "priced", script: "script.yaml", max_output_tokens: 100 },
    },
  },
  script: { calls: CALLS },
};

const parseSession = compileParser(
  "ended session",
  Type.Object({
    session_id: Type.String(),
    status: Type.String(),
    final_analysis: Type.Union([Type.String(), Type.Null()]),
    error_code: Type.Union([Type.String(), Type.Null()]),
  }),
);
const parseSums = compileParser(
  "sums of the day",
  Type.Object({
    used: Type.Number(),
    reserved: Type.Number(),
    recorded: Type.Number(),
    reservations: Type.Integer(),
    unsettled: Type.Integer(),
  }),
);
const SUMS = `
SELECT a.used_usd::float8 AS used, a.reserved_usd::float8 AS reserved,
  (SELECT coalesce(sum(estimated_cost_usd), 0)::float8 FROM llm_interactions) AS recorded,
  (SELECT count(*)::int FROM budget_reservations) AS reservations,
  (SELECT count(*)::int FROM budget_ledger) AS unsettled
FROM budget_accounts a WHERE a.scope = 'day'`;

describeNightly(`a budget of ${LIMIT_USD} USD for all sessions of a day`, function () {
  this.timeout(400_000);
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      ownServers: true,
      executors: EXECUTORS,
      config: CONFIG,
      env: { LLM_TRIES: "1" },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const query = async (sql: string) => pipeline.servers.query(sql, []);
  const sums = async () => parseSums((await query(SUMS))[0]);
  const ended = async () =>
    (
      await query(
        `SELECT session_id, status::text, final_analysis, error_code FROM alert_sessions
         WHERE status NOT IN ('pending', 'in_progress', 'cancelling')`,
      )
    ).map((row) => parseSession(row));

  it(`is never exceeded by ${WORKERS} agents whose executors are killed throughout, and each of them answers`, async () => {
    await query(
      `INSERT INTO budgets (scope, key, period, limit_usd, soft_ratio, set_by) VALUES ('day', '*', 'day', ${LIMIT_USD}, 1, 'test')`,
    );
    // Executors read which budgets there are every 5 s.
    const restarted = [...pipeline.system.all("executor")];
    for (const executor of restarted) {
      await pipeline.system.startService("executor");
      await pipeline.system.end(executor, "SIGTERM");
    }
    const ids = await Promise.all(
      Array.from({ length: WORKERS }, async (_, n) => pipeline.client.submit(`disk ${n} is full`)),
    );
    await until("all agents have begun", async () => {
      const [row] = await query("SELECT count(DISTINCT session_id)::int AS n FROM llm_interactions");
      return Number(Reflect.get(Object(row), "n")) === WORKERS;
    });
    let highest = 0;
    let kills = 0;
    let killAt = performance.now();
    await until(
      "all sessions have ended",
      async () => {
        const { used, reserved, recorded } = await sums();
        highest = Math.max(highest, used + reserved, recorded);
        if (kills < KILLS && performance.now() > killAt) {
          killAt = performance.now() + KILL_EVERY_MS;
          kills += 1;
          const [oldest] = pipeline.system.all("executor");
          if (oldest !== undefined) await pipeline.system.end(oldest, "SIGKILL");
          await pipeline.system.startService("executor");
        }
        return kills === KILLS && (await ended()).length === WORKERS;
      },
      380_000,
    );
    await until("everything is settled", async () => {
      const { reservations, unsettled } = await sums();
      return reservations + unsettled === 0;
    });
    const after = await sums();
    expect(highest).to.be.at.most(LIMIT_USD + 1e-9);
    expect(after.used).to.be.at.most(LIMIT_USD);
    expect(after.recorded).to.be.at.most(after.used + 1e-9);
    expect(after.reserved).to.equal(0);
    // The budget was worth something: not much of it was only reserved.
    expect(after.recorded).to.be.above(0.8 * LIMIT_USD);
    const sessions = await ended();
    expect(sessions.map(({ session_id }) => session_id)).to.have.members(ids);
    expect(sessions.filter(({ final_analysis }) => final_analysis === null)).to.deep.equal([]);
    const lost = sessions.filter(({ status }) => status !== "completed");
    for (const { error_code } of lost) expect(error_code).to.equal("budget_exceeded");
  });
});
