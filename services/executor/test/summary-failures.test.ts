import { expect } from "chai";
import { hashProvider } from "#shared/contracts/provider-hash.ts";
import { CancelledError } from "#shared/errors.ts";
import { ASKS_FOR_TOOL_SUMMARY } from "../../../test/support/scripts.ts";
import { until } from "../../../test/support/until.ts";
import { contentOf } from "./content-of.ts";
import { scriptedProvider } from "./resolved-chain.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { unframed } from "./unframed.ts";

const SUMMARIES = { threshold_tokens: 5_000, max_tokens: 100 };
const ANSWER = { steps: [{ text: "it was x" }] };

const summary = (...steps: object[]) => ({ when: ASKS_FOR_TOOL_SUMMARY, steps });
const asks = (...names: string[]) => ({
  when: { call: 1 },
  steps: names.map((name) => ({ tool_call: { name, arguments: {} } })),
});

describe("the summary of a large tool result, disturbed", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["third"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const insert = async (options: Parameters<typeof fixture.executor.insert>[0] = {}) =>
    fixture.executor.insert({
      strategy: "native-thinking",
      servers: ["k8s"],
      summaries: SUMMARIES,
      ...options,
    });
  const query = async (sql: string, id: string) => fixture.executor.query(sql, [id]);
  const rows = async (id: string) =>
    query(
      `SELECT status::text, content FROM timeline_events WHERE session_id = $1 AND event_type = 'mcp_tool_summary'`,
      id,
    );
  const calls = async (id: string) =>
    query(
      `SELECT error_code FROM llm_interactions WHERE session_id = $1 AND interaction_type = 'summarization'`,
      id,
    );
  const results = async (id: string) => {
    const told = await query(
      "SELECT content FROM messages WHERE session_id = $1 AND role = 'tool' ORDER BY sequence_number",
      id,
    );
    return told.map(contentOf).map(unframed);
  };
  /** Runs a session until its summary streams, then gives it back as an executor that stops does. */
  const interrupt = async (id: string) => {
    const run = await fixture.begin(id);
    await until("the summary streams", async () => (await rows(id)).length > 0);
    run.abort.abort(new CancelledError("shutdown", "the executor stops"));
    await run.end.catch(() => undefined);
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
  };

  it("is made of a result that reports an error, and says so", async () => {
    await fixture.play(summary({ text: "no such field" }), asks("k8s.largeError"), ANSWER);
    const id = await insert();
    expect(await fixture.run(id)).to.equal("completed");
    expect(await rows(id)).to.deep.equal([{ status: "completed", content: "no such field" }]);
    expect((await results(id))[0]).to.match(/^\[Summary, by a model[^]*\]\nno such field$/u);
    const react = await insert({ strategy: "react" });
    await fixture.play(
      summary({ text: "no such field" }),
      { when: { call: 1 }, steps: [{ text: "Thought: look\nAction: k8s.largeError\nAction Input: {}" }] },
      { steps: [{ text: "Thought: enough\nFinal Answer: it was x" }] },
    );
    expect(await fixture.run(react)).to.equal("completed");
    expect(
      await query(
        "SELECT content FROM messages WHERE session_id = $1 AND content LIKE 'Observation:%'",
        react,
      ),
    )
      .to.have.nested.property("[0].content")
      .that.includes("Error executing k8s.largeError: [Summary, by a model");
  });

  it("is not made when the text is kept no more: the shown part stays", async () => {
    await fixture.play(summary({ text: "all" }, { hang: true }), asks("k8s.large"), ANSWER);
    const id = await insert();
    await interrupt(id);
    await query("DELETE FROM tool_results WHERE session_id = $1", id);
    const called = await fixture.tools.calls();
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.tools.calls()).to.equal(called);
    expect(await rows(id)).to.deep.equal([
      {
        status: "failed",
        content:
          "No summary: the whole text is not kept any more. The model was shown a part of the result instead.",
      },
    ]);
    expect((await results(id))[0]).to.match(/^\[Cut: /u);
  });

  it("is not waited for while its providers are away", async () => {
    const llm_provider = scriptedProvider("third", "third.yaml");
    await fixture.executor.query(
      `INSERT INTO llm_circuits (provider, entry_hash, first_session, last_error, opened_at, probe_at)
       VALUES ('third', $1, gen_random_uuid(), 'connection refused', now(), now() + interval '5 min')`,
      [hashProvider(llm_provider)],
    );
    await until("the executor knows that the provider is away", async () => {
      await Promise.resolve();
      return fixture.executor.deps.circuits.find(llm_provider) !== undefined;
    });
    await fixture.play(asks("k8s.large"), ANSWER);
    const id = await insert({ summaries: { ...SUMMARIES, llm_provider } });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([]);
    expect(await rows(id)).to.deep.equal([
      {
        status: "failed",
        content:
          "No summary: third is away: connection refused. The model was shown a part of the result instead.",
      },
    ]);
  });

  it("waits for a provider that asks for a short delay, and is then made in the same row", async () => {
    const limited = { code: "rate_limited", message: "slow down", retryable: true, retried: false };
    await fixture.play(summary({ error: { ...limited, retry_after: "20s" } }), asks("k8s.large"), ANSWER);
    const id = await insert();
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await rows(id)).to.deep.equal([{ status: "streaming", content: "" }]);
    await fixture.play(summary({ text: "all x" }), asks("k8s.large"), ANSWER);
    await query(
      `UPDATE agent_executions SET iteration_state = jsonb_set(iteration_state, '{unfinished_step,waiting,until}', '"2026-01-01T00:00:00Z"')
       WHERE session_id = $1`,
      id,
    );
    await query("UPDATE session_runtime SET not_before = now() WHERE session_id = $1", id);
    const called = await fixture.tools.calls();
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.tools.calls()).to.equal(called);
    expect(await rows(id)).to.deep.equal([{ status: "completed", content: "all x" }]);
    expect(await calls(id)).to.deep.equal([{ error_code: null }]);
  });

  it("is not missed by an executor that knows no summaries: the shown part is in the conversation", async () => {
    await fixture.play(summary({ text: "all" }, { hang: true }), asks("k8s.large", "k8s.pods"), ANSWER);
    const id = await insert();
    await interrupt(id);
    // Such an executor ignores the property, and drops it with the next call of a model.
    expect(
      await query(
        "SELECT iteration_state->'pending_summaries'->0->>'message' AS message FROM agent_executions WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ message: "4" }]);
    await query(
      "UPDATE agent_executions SET iteration_state = iteration_state - 'pending_summaries' WHERE session_id = $1",
      id,
    );
    expect(await fixture.run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([]);
    expect((await results(id))[0]).to.match(/^\[Cut: /u);
  });
});
