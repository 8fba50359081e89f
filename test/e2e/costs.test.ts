import { expect } from "chai";
import { stringify } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";

/** USD per million tokens. */
const RATES = {
  input_per_million: 2,
  cached_input_per_million: 0.5,
  output_per_million: 8,
  reasoning_per_million: 12,
};

const SUMMARY = {
  when: { contains: "summaries of incident analyses" },
  steps: [{ text: "In short." }, { usage: { input_tokens: 100, output_tokens: 4 } }],
};

/** The first call is answered, the second reports tokens and fails. */
const PRICED = {
  calls: [
    SUMMARY,
    {
      when: { call: 1 },
      steps: [
        { tool_call: { name: "k8s.events", arguments: {} } },
        {
          usage: { input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 50, thinking_tokens: 30 },
        },
      ],
    },
    {
      steps: [
        { usage: { input_tokens: 2_000, output_tokens: 10 } },
        { error: { code: "credentials", message: "the key was revoked", retryable: false } },
      ],
    },
  ],
};

/** Takes over after the failure; no list has its model. */
const UNPRICED = {
  calls: [
    SUMMARY,
    {
      steps: [
        { text: "The pod was evicted." },
        { usage: { input_tokens: 300, output_tokens: 20, thinking_tokens: 5 } },
      ],
    },
  ],
};

const parseBody = compileParser("body", Type.Record(Type.String(), Type.Unknown()));

describeNightly("tokens and costs that clients see", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: {
        tarsy: {
          defaults: {
            llm_provider: "scripted",
            alert_type: "test",
            fallback_providers: [{ provider: "second" }],
          },
          mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
          agents: { TestAgent: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" } },
          system: { cost_estimation: { model_rates: { "priced-test": RATES } } },
        },
        providers: {
          llm_providers: {
            scripted: { type: "scripted", model: "priced-test", script: "script.yaml" },
            second: { type: "scripted", model: "unpriced-test", script: "second.yaml" },
          },
        },
        script: PRICED,
        stubTools: { servers: { k8s: { events: { read_only: true, results: [{ text: "evicted" }] } } } },
      },
      files: { "second.yaml": stringify(UNPRICED) },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const get = async (path: string) => {
    const { status, body } = await pipeline.client.request("GET", `/api/v1/${path}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return parseBody(body);
  };

  /*
   * USD, per million tokens 2 (input), 0.5 (cached), 8 (output) and 12 (thinking):
   *   first call      600 * 2 + 400 * 0.5 + 50 * 8 + 30 * 12 = 2,160 = 0.00216
   *   failed call   2,000 * 2 + 10 * 8                       = 4,080 = 0.00408
   *   second model  without a price; 300 + 20 + 5 = 325 tokens
   *   summary         100 * 2 + 4 * 8                        =   232 = 0.000232
   */
  const TOKENS = { input_tokens: 3_400, output_tokens: 84, total_tokens: 3_519 };
  const COST = { estimated_cost_usd: 0.006472, cost_completeness: "partial" };

  it("are the sums of all calls, failed ones included, alike in every view", async () => {
    const id = await pipeline.client.submit("a pod is gone");
    await pipeline.client.waitFor(id, ["completed"]);
    const all = { ...TOKENS, ...COST, unpriced_interaction_count: 1, cost_estimation_enabled: true };
    const session = await get(`sessions/${id}`);
    expect(session).to.include({ ...all, thinking_tokens: 35, llm_interaction_count: 4 });
    expect(await get(`sessions/${id}/summary`)).to.include({ ...all, llm_interactions: 4 });
    const list = await get("sessions");
    expect(list).to.have.property("cost_estimation_enabled", true);
    expect(list).to.have.property("sessions").with.lengthOf(1);
    expect(list)
      .to.have.nested.property("sessions[0]")
      .that.includes({ ...TOKENS, ...COST });
    expect(session).to.have.nested.property("stages[0].executions[0]").that.includes({
      input_tokens: 3_300,
      output_tokens: 80,
      total_tokens: 3_415,
      // 0.00216 + 0.00408
      estimated_cost_usd: 0.00624,
      cost_completeness: "partial",
      unpriced_interaction_count: 1,
    });
    expect(session).to.have.nested.property("stages[1].executions[0]").that.includes({
      input_tokens: 100,
      output_tokens: 4,
      total_tokens: 104,
      estimated_cost_usd: 0.000232,
      cost_completeness: "complete",
      unpriced_interaction_count: 0,
    });
  });

  it("are the same in the summary of the usage, unpriced models apart", async () => {
    const start = new Date(Date.now() - 3_600_000).toISOString();
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const usage = await get(`usage/summary?start_date=${start}&end_date=${end}`);
    expect(usage).to.have.deep.property("totals", {
      session_count: 1,
      ...TOKENS,
      ...COST,
      average_cost_usd: 0.006472,
      unpriced_interaction_count: 1,
      unpriced_token_count: 325,
    });
    expect(usage).to.have.deep.property("by_model", [
      {
        model_name: "priced-test",
        session_count: 1,
        // 1,000 + 2,000 + 100; 50 + 10 + 4; with 30 of thinking
        input_tokens: 3_100,
        output_tokens: 64,
        total_tokens: 3_194,
        estimated_cost_usd: 0.006472,
        average_cost_usd: 0.006472,
        priced: true,
        unpriced_interaction_count: 0,
      },
      {
        model_name: "unpriced-test",
        session_count: 1,
        input_tokens: 300,
        output_tokens: 20,
        total_tokens: 325,
        priced: false,
        unpriced_interaction_count: 1,
      },
    ]);
    const [top] = [usage["top_sessions"]].flat();
    expect(top).to.include({ total_tokens: 3_519, ...COST });
  });
});
