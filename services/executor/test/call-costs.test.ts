import { expect } from "chai";
import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { CancelledError } from "#shared/errors.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { WrittenRates } from "#shared/pricing/rates.ts";
import { until } from "../../../test/support/until.ts";
import { runSession } from "../run-session.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";
import { RunFixture } from "./run-fixture.ts";

const MODEL = "scripted-test";
const MILLION = 1_000_000;
const rates = (input: number, output: number, more: Partial<WrittenRates> = {}): WrittenRates => ({
  input_per_million: input,
  output_per_million: output,
  ...more,
});
const estimation = (settings: Partial<CostEstimation>): CostEstimation => ({
  enabled: true,
  modelRates: new Map(),
  promotions: [],
  ...settings,
});
const overridden = estimation({
  modelRates: new Map([[MODEL, rates(1, 2, { cached_input_per_million: 0.1 })]]),
});

/** An answer for which the provider charges these tokens. */
const answer = (text: string, usage: object) => ({ steps: [{ text }, { usage }] });
const MUCH = { input_tokens: MILLION, output_tokens: MILLION };

describe("what LLM calls cost", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let fixture: RunFixture;
  let loseLeaseAtWrite: WritePoints["kill"];

  before(async () => {
    // Its disposal fails if the sums of a session, an execution or a model differ from those of the calls.
    fixture = resources.use(await RunFixture.start({ others: ["second"] }));
    ({ kill: loseLeaseAtWrite } = await installWritePoints(fixture.executor));
  });
  after(() => resources.disposeAsync());

  const run = async (id: string, costEstimation: CostEstimation) => {
    const { executor, gateway } = fixture;
    const deps = await executor.another(resources, gateway.address, { costEstimation });
    return runSession(deps, await executor.claim(id), { stop: signal, abort: signal });
  };
  const calls = async (id: string) =>
    fixture.executor.query(
      `SELECT interaction_type::text AS type, estimated_cost_usd::text AS usd, price_source AS source
       FROM llm_interactions WHERE session_id = $1 ORDER BY created_at, interaction_type`,
      [id],
    );
  const sums = async (id: string) => fixture.executor.row("session_runtime", COST_SUMS.join(", "), id);

  it("is recorded with each call, the summary included, and summed up exactly", async () => {
    await fixture.playExactly(
      { when: { contains: "Your name is" }, ...answer("found", MUCH) },
      answer("in short", {
        input_tokens: 100,
        cached_input_tokens: 40,
        output_tokens: 3,
        thinking_tokens: 4,
      }),
    );
    const id = await fixture.executor.insert();
    expect(await run(id, overridden)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", usd: "3.000000000000", source: "override" },
      // 60 · 1 + 40 · 0.1 + 7 · 2
      { type: "executive_summary", usd: "0.000078000000", source: "override" },
    ]);
    expect(await sums(id)).to.deep.equal({
      cached_input_tokens: "40",
      estimated_cost_usd: "3.000078000000",
      priced_interaction_count: 2,
      unpriced_interaction_count: 0,
      unpriced_tokens: "0",
    });
  });

  it("is not known for a model without a price, whose calls and tokens are counted", async () => {
    await fixture.playExactly(answer("found", { input_tokens: 7, output_tokens: 3 }));
    const id = await fixture.executor.insert();
    expect(await run(id, estimation({}))).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", usd: null, source: null },
      { type: "executive_summary", usd: null, source: null },
    ]);
    expect(await sums(id)).to.deep.equal({
      cached_input_tokens: "0",
      estimated_cost_usd: "0.000000000000",
      priced_interaction_count: 0,
      unpriced_interaction_count: 2,
      unpriced_tokens: "20",
    });
  });

  it("is not estimated where that is switched off", async () => {
    await fixture.playExactly(answer("found", MUCH));
    const id = await fixture.executor.insert();
    expect(await run(id, { ...overridden, enabled: false })).to.equal("completed");
    expect(await sums(id)).to.include({
      estimated_cost_usd: "0.000000000000",
      unpriced_interaction_count: 2,
    });
  });

  it("follows the price of the time: before and after the end of a promotion, and never again", async () => {
    await fixture.playExactly(
      { when: { contains: "Your name is Ann" }, ...answer("found", MUCH) },
      { when: { contains: "Your name is Ben" }, steps: [{ text: "so far" }, { hang: true }] },
    );
    const id = await fixture.executor.insert({ stages: [["Ann"], ["Ben"]] });
    const promotion = { ...rates(0.5, 0.5), id: "launch", model: MODEL };
    const { executor, gateway } = fixture;
    const during = await executor.another(resources, gateway.address, {
      costEstimation: { ...overridden, promotions: [promotion] },
    });
    const abort = new AbortController();
    const first = runSession(during, await executor.claim(id), { stop: signal, abort: abort.signal });
    await until("the second agent answers", async () => (await fixture.timelineKeys(id)).length === 2);
    abort.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
    expect(await first).to.equal("released");

    await fixture.playExactly(answer("found too", MUCH));
    const over = { ...promotion, endMs: Date.parse("2026-01-01T00:00:00Z") };
    expect(await run(id, { ...overridden, promotions: [over] })).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { type: "iteration", usd: "1.000000000000", source: "promotion:launch" },
      { type: "iteration", usd: "3.000000000000", source: "override" },
      { type: "executive_summary", usd: "3.000000000000", source: "override" },
    ]);
    expect(await sums(id)).to.include({ estimated_cost_usd: "7.000000000000", priced_interaction_count: 3 });
  });

  it("counts once what failed, what another provider answered, and what is left after executors have died", async () => {
    const fails = { error: { code: "credentials", message: "no", retryable: false } };
    const half = { input_tokens: MILLION, output_tokens: 0 };
    // The first text is stored before the rest comes.
    await fixture.playExactly({ steps: [{ text: "half" }, { delay: "100ms" }, { usage: half }, fails] });
    await fixture.playOn("second", answer("found it", MUCH));
    const id = await fixture.executor.insert({ fallbacks: ["second"] });
    const priced = estimation({
      modelRates: new Map([
        [MODEL, rates(1, 2)],
        ["second-test", rates(10, 20)],
      ]),
    });
    let deaths = 0;
    let end = "lost";
    for (let write = 2; end === "lost"; write += 1) {
      await loseLeaseAtWrite(id, write);
      end = await run(id, priced);
      if (end === "lost") deaths += 1;
    }
    expect(end).to.equal("completed");
    expect(deaths).to.be.above(1);
    const usage = await fixture.executor.query(
      `SELECT model_name, estimated_cost_usd::text AS usd
       FROM session_model_usage WHERE session_id = $1 ORDER BY model_name`,
      [id],
    );
    expect(usage).to.deep.equal([
      { model_name: MODEL, usd: "2.000000000000" },
      { model_name: "second-test", usd: "60.000000000000" },
    ]);
    expect(await sums(id)).to.include({ estimated_cost_usd: "62.000000000000", priced_interaction_count: 4 });
  });
});
