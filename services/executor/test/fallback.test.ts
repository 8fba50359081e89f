import { expect } from "chai";
import { Registry } from "prom-client";
import { createExecutorMetrics } from "../executor-metrics.ts";
import { startMetricsAtZero } from "../start-metrics-at-zero.ts";
import { RunFixture } from "./run-fixture.ts";

const fails = (code: string, rest: object = {}) => ({
  steps: [{ error: { code, message: `${code}!`, retryable: false, ...rest } }],
});
const answers = (text: string) => ({ steps: [{ text }] });
const SUMMARY = { contains: "summaries of incident analyses" };

describe("the metrics of providers", () => {
  it("start at zero for the configured lists", async () => {
    const registry = new Registry();
    const metrics = createExecutorMetrics(registry);
    startMetricsAtZero(metrics, { providerLists: [["one", "two", "one"], ["three"]] });
    const pairs = (await metrics.fallbacks.get()).values.map(({ labels, value }) => [
      labels.from_provider,
      labels.to_provider,
      value,
    ]);
    expect(pairs).to.deep.equal([
      ["one", "two", 0],
      ["two", "one", 0],
    ]);
    const circuits = (await metrics.circuitOpen.get()).values.map(({ labels, value }) => [
      labels.provider,
      value,
    ]);
    expect(circuits).to.deep.equal([
      ["one", 0],
      ["two", 0],
      ["three", 0],
    ]);
  });
});

describe("an agent with fallback providers", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["second", "third"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const fallbackRows = async (id: string) =>
    fixture.executor.query(
      `SELECT content, metadata FROM timeline_events WHERE session_id = $1 AND event_type = 'provider_fallback'
       ORDER BY created_at, sequence_number`,
      [id],
    );
  const calls = async (id: string) =>
    fixture.executor.query(
      `SELECT interaction_type::text AS type, model_name AS model, llm_request->>'provider' AS provider, error_code AS error
       FROM llm_interactions WHERE session_id = $1 ORDER BY created_at`,
      [id],
    );
  const call = (provider: string, error: string | null, type = "iteration") => ({
    type,
    model: `${provider}-test`,
    provider,
    error,
  });
  const execution = async (id: string, columns: string) =>
    (await fixture.executor.query(`SELECT ${columns} FROM agent_executions WHERE session_id = $1`, [id]))[0];

  it("gets its answer from the next one when the first refuses its credential, and says so once", async () => {
    await fixture.play(fails("credentials"));
    await fixture.playOn("second", answers("found it"));
    const id = await fixture.executor.insert({ fallbacks: ["second", "third"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fallbackRows(id)).to.deep.equal([
      {
        content: "scripted (scripted-test) is replaced by second (second-test): credentials!",
        metadata: {
          original_provider: "scripted",
          original_backend: "scripted",
          original_model: "scripted-test",
          fallback_provider: "second",
          fallback_backend: "scripted",
          fallback_model: "second-test",
          reason: "credentials!",
          attempt: 1,
          error_code: "credentials",
          error_retryable: false,
        },
      },
    ]);
    expect(await calls(id)).to.deep.equal([
      call("scripted", "credentials"),
      call("second", null),
      call("scripted", null, "executive_summary"),
    ]);
    expect(
      await execution(
        id,
        "llm_provider, model_name, original_llm_provider, original_llm_backend, original_model_name",
      ),
    ).to.deep.equal({
      llm_provider: "second",
      model_name: "second-test",
      original_llm_provider: "scripted",
      original_llm_backend: "scripted",
      original_model_name: "scripted-test",
    });
    expect(await fixture.eventLog(id)).to.deep.include({
      event: "timeline_event.created provider_fallback completed",
    });
    const counted = await fixture.executor.deps.metrics.fallbacks.get();
    expect(counted.values).to.deep.equal([
      { value: 1, labels: { from_provider: "scripted", to_provider: "second" } },
    ]);
  });

  const THREE_PROVIDERS = {
    strategy: "native-thinking",
    servers: ["k8s"],
    fallbacks: ["second", "third"],
  } as const;
  const playTwoFallbacks = async () => {
    const failure = fails("provider_error", { retryable: true });
    // The first provider calls a tool and then fails, the second fails at once, the third goes on from the tool's result.
    await fixture.play(
      {
        when: { call: 1 },
        steps: [
          { text: "look" },
          { tool_call: { name: "k8s.pods", arguments: {} } },
          { provider_state: "sealed by the first" },
        ],
      },
      failure,
    );
    await fixture.playOn("second", failure);
    await fixture.playOn(
      "third",
      { when: { provider_state: "sealed by the first" }, ...answers("it was sent foreign state") },
      answers("it was the memory"),
    );
  };

  it("goes on from its conversation with the next provider, after two failures in a row of each", async () => {
    await playTwoFallbacks();
    const id = await fixture.executor.insert({ ...THREE_PROVIDERS, maxIterations: 3 });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      call("scripted", null),
      call("scripted", "provider_error"),
      call("scripted", "provider_error"),
      call("second", "provider_error"),
      call("second", "provider_error"),
      call("third", null),
      call("scripted", null, "executive_summary"),
    ]);
    expect(await fixture.executor.row("alert_sessions", "final_analysis", id)).to.deep.equal({
      final_analysis: "it was the memory",
    });
    expect(
      await execution(id, "iteration_state->'provider' AS provider, original_llm_provider"),
    ).to.deep.equal({ provider: { position: 2, since_message: 6 }, original_llm_provider: "scripted" });
    expect(await fallbackRows(id)).to.have.length(2);
  });

  it("turns to the next provider when the first asks for too long a wait, and waits for a short one", async () => {
    const limited = (retry_after: string) =>
      fails("rate_limited", { retryable: true, retry_after, retried: false });
    await fixture.playOn("second", answers("found it"));
    await fixture.play(limited("40s"));
    const long = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(long)).to.equal("completed");
    expect(await fallbackRows(long)).to.have.length(1);
    await fixture.play(limited("20s"));
    const short = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(short)).to.equal("waiting");
    expect(await calls(short)).to.deep.equal([]);
    // The second wait for the same call would exceed the limit.
    await fixture.executor.query(
      `UPDATE agent_executions SET iteration_state = jsonb_set(jsonb_set(iteration_state,
         '{unfinished_step,waiting,until}', '"2026-01-01T00:00:00Z"'), '{unfinished_step,waiting,since}', '"2026-01-01T00:00:00Z"')
       WHERE session_id = $1`,
      [short],
    );
    await fixture.executor.query("UPDATE session_runtime SET not_before = now() WHERE session_id = $1", [
      short,
    ]);
    expect(await fixture.run(short)).to.equal("completed");
    expect(await calls(short)).to.deep.include(call("second", null));
  });

  it("has its synthesis and its summary made by the next provider, too", async () => {
    await fixture.playExactly(
      { when: SUMMARY, ...fails("content_blocked") },
      { when: { contains: "name is" }, ...answers("one view") },
      fails("context_too_long"),
    );
    await fixture.playOn("second", { when: SUMMARY, ...answers("in short") }, answers("all views"));
    const id = await fixture.executor.insert({ stages: [["Ann", "Bob"]], fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect((await calls(id)).slice(2)).to.deep.equal([
      call("scripted", "context_too_long", "synthesis"),
      call("second", null, "synthesis"),
      call("scripted", "content_blocked", "executive_summary"),
      call("second", null, "executive_summary"),
    ]);
    expect(
      await fixture.executor.row("alert_sessions", "final_analysis, executive_summary", id),
    ).to.deep.equal({ final_analysis: "all views", executive_summary: "in short" });
    expect(await fallbackRows(id)).to.have.length(2);
  });

  it("fails with the last one's error once all have failed, and with its own if it has no other", async () => {
    await fixture.play(fails("provider_error"));
    await fixture.playOn("second", fails("invalid_request"));
    const all = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(all)).to.equal("failed");
    expect((await fixture.outcomes(all)).at(-1)).to.deep.equal({
      status: "failed",
      error_code: "invalid_request",
      error_message: "invalid_request!",
    });
    const alone = await fixture.executor.insert();
    expect(await fixture.run(alone)).to.equal("failed");
    expect(await calls(alone)).to.deep.equal([call("scripted", "provider_error")]);
  });

  const nothing = { steps: [{ thinking: "hm" }] };
  const iterations = async (id: string) =>
    execution(
      id,
      "(iteration_state->>'iteration')::int AS calls, (iteration_state->>'uncounted')::int AS uncounted",
    );

  it("asks for an empty reply again twice; the third is a failure", async () => {
    await fixture.play(nothing);
    await fixture.playOn("second", answers("found it"));
    const id = await fixture.executor.insert({ fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect((await calls(id)).slice(0, 4)).to.deep.equal([
      ...Array.from({ length: 3 }, () => call("scripted", "empty_response")),
      call("second", null),
    ]);
    expect(await iterations(id)).to.deep.equal({ calls: 4, uncounted: 3 });
    const alone = await fixture.executor.insert({ strategy: "native-thinking", maxIterations: 1 });
    expect(await fixture.run(alone)).to.equal("failed");
    expect(await calls(alone)).to.have.length(3);
    expect(await iterations(alone)).to.deep.equal({ calls: 3, uncounted: 2 });
    const errors = (await fixture.timelineRows(alone)).filter((row) => JSON.stringify(row).includes("error"));
    expect(errors).to.have.length(1);
  });
});
