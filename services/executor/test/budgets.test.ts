import { expect } from "chai";
import { CancelledError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { runSession } from "../run-session.ts";
import type { ChainOptions } from "./resolved-chain.ts";
import { ask } from "./follow-up-fixture.ts";
import { Budgets } from "./budget-fixture.ts";
import { RunFixture } from "./run-fixture.ts";

/** 0.0001 USD per token of output: the longest answer costs 0.8192 USD. */
const COSTS = {
  enabled: true,
  modelRates: new Map([["scripted-test", { input_per_million: 0, output_per_million: 100 }]]),
  promotions: [],
};
const USAGE = { usage: { input_tokens: 10, output_tokens: 1_000 } };

/** An agent that goes on until it is made to conclude. */
const RESTLESS = [
  {
    when: { last_contains: "Conclude now" },
    steps: [{ text: "Thought: enough\nFinal Answer: as far as I know" }, USAGE],
  },
  { when: { contains: "summaries of incident analyses" }, steps: [{ text: "in short" }, USAGE] },
  { steps: [{ text: "Thought: more\nAction: no.such_tool\nAction Input: {}" }, USAGE] },
];
const REACT = { strategy: "react", maxIterations: 100 } as const;

describe("budgets of LLM calls", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let fixture: RunFixture;
  let budgets: Budgets;
  let deps: ExecutorDeps;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    budgets = new Budgets(fixture.executor);
    const { address } = fixture.gateway;
    deps = await fixture.executor.another(resources, address, { costEstimation: COSTS, llmTries: 1 });
  });
  after(() => resources.disposeAsync());
  beforeEach(() => budgets.clear());

  const insert = async (options: ChainOptions) => fixture.executor.insert(options);
  const run = async (id: string, by = deps) => {
    await until("the executor knows the budgets", async () => {
      const known = by.budgets.rulesOf({ chainId: "test-chain", teams: [], budgets: null });
      const [stored] = await fixture.executor.query(
        "SELECT count(*)::int AS n FROM budgets WHERE scope <> 'team'",
        [],
      );
      return known.length === Number(Reflect.get(Object(stored), "n"));
    });
    return runSession(by, await fixture.executor.claim(id), { stop: signal, abort: signal });
  };
  const rows = async (sql: string, id: string) => fixture.executor.query(sql, [id]);
  const calls = async (id: string) =>
    rows(
      `SELECT interaction_type::text AS type, count(*)::int AS n FROM llm_interactions WHERE session_id = $1
       GROUP BY 1 ORDER BY min(created_at)`,
      id,
    );
  const events = async (id: string) =>
    rows(
      `SELECT payload ->> 'type' AS type, payload ->> 'scope' AS scope, payload ->> 'dimension' AS dimension,
         (payload ->> 'limit')::float8 AS limit, (payload ->> 'used')::float8 AS used FROM events
       WHERE session_id = $1 AND payload ->> 'type' LIKE 'budget.%' ORDER BY seq`,
      id,
    );
  const session = async (id: string) =>
    fixture.executor.row(
      "alert_sessions",
      "status::text, error_code, final_analysis, executive_summary_error",
      id,
    );

  it("of a session: the agent goes on while the next call and a conclusion fit, then concludes", async () => {
    await fixture.playExactly(...RESTLESS);
    const id = await insert({ ...REACT, budgets: { session: { usd: 3, soft_ratio: 1 } } });
    expect(await run(id)).to.equal("completed");
    // 14 calls: 1.3 + 0.8192 + 0.8192 fits below 3, 1.4 + … does not.
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", n: 14 },
      { type: "forced_conclusion", n: 1 },
      { type: "executive_summary", n: 1 },
    ]);
    expect(await session(id)).to.include({
      final_analysis: "as far as I know",
      executive_summary_error: null,
    });
    expect(await events(id)).to.deep.equal([
      { type: "budget.soft_limit", scope: "session", dimension: "usd", limit: 3, used: 1.4 },
    ]);
    const [answer] = await rows(
      `SELECT metadata ->> 'forced_conclusion' AS forced, metadata #>> '{budget,scope}' AS scope FROM timeline_events
       WHERE session_id = $1 AND event_type = 'final_analysis'`,
      id,
    );
    expect(answer).to.deep.equal({ forced: "true", scope: "session" });
    const [asked] = await rows(
      "SELECT content FROM messages WHERE session_id = $1 AND content LIKE '%Conclude now%'",
      id,
    );
    expect(JSON.stringify(asked)).to.contain("The budget of this session of 3 USD is nearly used up.");
    await budgets.sweep();
    const [account] = await budgets.accounts("session");
    expect(account).to.include({ used_usd: 1.6, used_calls: 16, reserved_usd: 0, reserved_calls: 0 });
    expect(await budgets.reservations()).to.deep.equal([]);
  });

  it("tell those of the session's plan, once for each budget", async () => {
    await fixture.playExactly(...RESTLESS);
    const id = await insert({ ...REACT, budgets: { session: { usd: 3, soft_ratio: 1 } } });
    const plan = { slack: ["budget.soft_limit"], "webhook:a": ["session.ended"] };
    await fixture.executor.query("UPDATE alert_sessions SET notify = $2 WHERE session_id = $1", [
      id,
      JSON.stringify(plan),
    ]);
    expect(await run(id)).to.equal("completed");
    const told = await rows(
      "SELECT kind, destination, payload #>> '{budget,scope}' AS scope FROM outbox WHERE session_id = $1 ORDER BY id",
      id,
    );
    expect(told).to.deep.equal([
      { kind: "budget.soft_limit", destination: "slack", scope: "session" },
      { kind: "session.ended", destination: "webhook:a", scope: null },
    ]);
  });

  it("at the soft limit the next call is the conclusion", async () => {
    await fixture.playExactly(...RESTLESS);
    const id = await insert({ ...REACT, budgets: { session: { usd: 100, soft_ratio: 0.003 } } });
    expect(await run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", n: 3 },
      { type: "forced_conclusion", n: 1 },
      { type: "executive_summary", n: 1 },
    ]);
  });

  it("of calls and of tokens", async () => {
    await fixture.playExactly(...RESTLESS);
    await budgets.set("day", "*", { calls: 5 });
    const id = await insert(REACT);
    expect(await run(id)).to.equal("completed");
    // The summary was not requested: only its failure is recorded.
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", n: 4 },
      { type: "forced_conclusion", n: 1 },
      { type: "executive_summary", n: 1 },
    ]);
    await budgets.sweep();
    expect((await budgets.accounts())[0]).to.include({ used_calls: 5, reserved_calls: 0 });
    await budgets.clear();
    // The bound of a call is some 15,000 tokens.
    await budgets.set("chain", "test-chain", { tokens: 40_000 });
    const other = await insert(REACT);
    expect(await run(other)).to.equal("completed");
    expect(await events(other)).to.have.length(1);
    const [account] = await budgets.accounts("chain");
    expect(account?.used_tokens).to.be.at.most(40_000);
  });

  it("an agent without tools fails where its call has no room, and nothing is called", async () => {
    await fixture.playExactly(...RESTLESS);
    const id = await insert({ budgets: { session: { usd: 0.5 } } });
    expect(await run(id)).to.equal("failed");
    expect(await calls(id)).to.deep.equal([]);
    expect(await session(id)).to.include({ status: "failed", error_code: "budget_exceeded" });
    const text = "the budget of this session of 0.5 USD has no room for another LLM call: 0 used, 0 reserved";
    expect(JSON.stringify(await fixture.outcomes(id))).to.contain(text);
    expect(await events(id)).to.deep.equal([
      { type: "budget.exceeded", scope: "session", dimension: "usd", limit: 0.5, used: 0 },
    ]);
  });

  it("an agent whose conclusion was lost, and for which there is no other room, leaves what it wrote", async () => {
    const hangs = {
      when: { last_contains: "Conclude now" },
      steps: [{ text: "Thought: I am" }, { hang: true }],
    };
    await fixture.playExactly(hangs, ...RESTLESS);
    const id = await insert({ ...REACT, budgets: { session: { calls: 4, soft_ratio: 1 } } });
    const abort = new AbortController();
    const claim = await fixture.executor.claim(id);
    const lost = runSession(deps, claim, { stop: signal, abort: abort.signal });
    await until("the conclusion streams", async () => {
      const [row] = await rows(
        "SELECT count(*)::int AS n FROM timeline_events WHERE session_id = $1 AND status = 'streaming'",
        id,
      );
      return Number(Reflect.get(Object(row), "n")) > 0 && (await events(id)).length > 0;
    });
    abort.abort(new CancelledError("shutdown", "killed"));
    expect(await lost).to.equal("released");
    await budgets.sweep();
    await fixture.playExactly(...RESTLESS);
    expect(await run(id)).to.equal("failed");
    expect(await session(id)).to.include({
      error_code: "budget_exceeded",
      final_analysis:
        "No conclusion could be written: the budget of this session of 4 calls has no room for another LLM call: 4 used, 0 reserved. This is what the agent wrote last:\n\n" +
        Array.from({ length: 3 }, () => "Thought: more\nAction: no.such_tool\nAction Input: {}").join("\n\n"),
    });
  });

  it("all agents of a session share its budget, and so do the questions about it afterwards", async () => {
    await fixture.playExactly(...RESTLESS);
    const id = await insert({
      ...REACT,
      stages: [["Ann", "Ben"]],
      budgets: { session: { calls: 12, soft_ratio: 0.5 } },
    });
    expect(await run(id)).to.equal("completed");
    await budgets.sweep();
    const [account] = await budgets.accounts("session");
    // Six of both, a conclusion of each, a synthesis and a summary; one more of either may have begun before the sixth was settled.
    expect(account?.used_calls).to.be.within(9, 11);
    await fixture.executor.query("UPDATE budget_accounts SET used_calls = 12 WHERE session_id = $1", [id]);
    await ask(fixture.executor, id);
    expect(await run(id)).to.equal("followed-up");
    const [answer] = await rows("SELECT status::text, error_code FROM follow_ups WHERE session_id = $1", id);
    expect(answer).to.deep.equal({ status: "failed", error_code: "budget_exceeded" });
  });

  it("a session whose summary has no room completes without one", async () => {
    await fixture.playExactly(...RESTLESS.slice(0, 2), { steps: [{ text: "found" }, USAGE] });
    const id = await insert({ budgets: { session: { calls: 1 } } });
    expect(await run(id)).to.equal("completed");
    expect(await session(id)).to.deep.include({
      final_analysis: "found",
      executive_summary_error:
        "the budget of this session of 1 calls has no room for another LLM call: 1 used, 0 reserved",
    });
  });

  it("a model without a price is an error where USD are limited", async () => {
    await fixture.playExactly(...RESTLESS);
    const unpriced = await fixture.executor.another(resources, fixture.gateway.address, {
      costEstimation: { ...COSTS, modelRates: new Map() },
    });
    const id = await insert({ budgets: { session: { usd: 100 } } });
    expect(await run(id, unpriced)).to.equal("failed");
    expect(await session(id)).to.include({ error_code: "unpriced_model" });
    expect(JSON.stringify(await fixture.outcomes(id))).to.contain(
      "model scripted-test of LLM provider scripted (scripted) has no price, and the budget of this session of 100 USD needs one: add it to system.cost_estimation.model_rates",
    );
    expect(await calls(id)).to.deep.equal([]);
  });

  it("of another team leaves a session alone", async () => {
    await fixture.playExactly(...RESTLESS.slice(0, 2), { steps: [{ text: "found" }, USAGE] });
    await budgets.set("team", "nobody", { calls: 1 });
    const id = await insert({});
    expect(await run(id)).to.equal("completed");
    expect(await budgets.accounts()).to.deep.equal([]);
  });
});
