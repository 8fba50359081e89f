import { expect } from "chai";
import { CancelledError } from "#shared/errors.ts";
import { RunFixture } from "./run-fixture.ts";

const SEARCHED = [
  { text: "it was the memory" },
  { code_execution: { code: "print(1)", result: "1" } },
  { grounding: { web_search_queries: ["q"], grounding_chunks: [{ uri: "https://a.example", title: "A" }] } },
];
const SUMMARY = "SELECT executive_summary FROM alert_sessions WHERE session_id = $1";
const ORDER = ["code_execution", "google_search_result", "final_analysis"];

/** What clients of the format see in rows and events. */
describe("rows as clients expect them", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["writer", "second"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const query = async (sql: string, id: string) => fixture.executor.query(sql, [id]);
  const kinds = async (id: string) =>
    query(
      `SELECT event_type FROM timeline_events WHERE session_id = $1 AND event_type <> 'executive_summary'
       ORDER BY sequence_number`,
      id,
    );
  const answers = async (id: string) =>
    query(
      `SELECT t.metadata, e.payload -> 'metadata' AS sent FROM timeline_events t
       JOIN events e ON e.session_id = t.session_id AND e.payload ->> 'event_id' = t.event_id::text
         AND e.payload ->> 'status' = 'completed'
       WHERE t.session_id = $1 AND t.event_type = 'final_analysis'`,
      id,
    );

  it("number the replicas of an agent, and not other agents", async () => {
    await fixture.play({ steps: [{ text: "it was the memory" }] });
    const stages = [["Looker", "Looker"]];
    const replicated = await fixture.executor.insert({ stages, isReplicated: true });
    const sql = `SELECT agent_name, model_name FROM agent_executions WHERE session_id = $1 ORDER BY agent_index`;
    const model_name = "scripted-test";
    expect(await fixture.run(replicated)).to.equal("completed");
    expect(await query(sql, replicated)).to.deep.equal([
      { agent_name: "Looker-1", model_name },
      { agent_name: "Looker-2", model_name },
      { agent_name: "SynthesisAgent", model_name },
    ]);
    const sent = await query(
      `SELECT DISTINCT payload ->> 'agent_name' AS name FROM events
       WHERE session_id = $1 AND payload ->> 'type' = 'execution.status' ORDER BY name`,
      replicated,
    );
    expect(sent).to.deep.equal([{ name: "Looker-1" }, { name: "Looker-2" }, { name: "SynthesisAgent" }]);
    const others = await fixture.executor.insert({ stages });
    await fixture.run(others);
    expect(JSON.stringify(await query(sql, others))).not.to.include("Looker-");
  });

  it("have what the provider's own tools did before the answer that is based on it", async () => {
    await fixture.play({ steps: SEARCHED });
    const id = await fixture.executor.insert({ nativeTools: ["google_search"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await kinds(id)).to.deep.equal(ORDER.map((event_type) => ({ event_type })));
    const native = await fixture.executor.insert({
      nativeTools: ["google_search"],
      strategy: "native-thinking",
    });
    expect(await fixture.run(native)).to.equal("completed");
    expect(await kinds(native)).to.deep.equal(
      ["llm_response", ...ORDER].map((event_type) => ({ event_type })),
    );
  });

  it("have it there also where another executor finishes the answer", async () => {
    await fixture.play({ when: { call: 1 }, steps: [{ text: "it was" }, { hang: true }] });
    const id = await fixture.executor.insert({ nativeTools: ["google_search"] });
    const { end, stop, abort } = await fixture.begin(id);
    await fixture.openRows(id, 1);
    const reason = new CancelledError("shutdown", "stopped by SIGTERM");
    stop.abort(reason);
    abort.abort(reason);
    expect(await end).to.equal("released");
    await fixture.play({ steps: SEARCHED });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await kinds(id)).to.deep.equal(ORDER.map((event_type) => ({ event_type })));
  });

  it("have an executive summary by the provider that the chain names, or by the one that takes over", async () => {
    await fixture.play({ steps: [{ text: "it was the memory" }] });
    await fixture.playOn("writer", { steps: [{ text: "By the writer." }] });
    await fixture.playOn("second", { steps: [{ text: "By the second." }] });
    const id = await fixture.executor.insert({ summaryProvider: "writer" });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await query(SUMMARY, id)).to.deep.equal([{ executive_summary: "By the writer." }]);
    const error = { code: "credentials", message: "no key", retryable: false };
    await fixture.playOn("writer", { steps: [{ error }] });
    const other = await fixture.executor.insert({ summaryProvider: "writer", fallbacks: ["second"] });
    expect(await fixture.run(other)).to.equal("completed");
    expect(await query(SUMMARY, other)).to.deep.equal([{ executive_summary: "By the second." }]);
  });

  for (const [strategy, call] of [
    ["react", [{ text: "Thought: look\nAction: k8s.pods\nAction Input: a: 1" }]],
    ["native-thinking", [{ tool_call: { name: "k8s.pods", arguments: {} } }]],
  ] as const) {
    it(`mark an answer that was forced at the limit of iterations: ${strategy}`, async () => {
      const answer = strategy === "react" ? "Thought: enough\nFinal Answer: memory" : "memory";
      await fixture.play({ when: { call: 1 }, steps: call }, { steps: [{ text: answer }] });
      const options = { strategy, servers: ["k8s"] };
      const forced = await fixture.executor.insert({ ...options, maxIterations: 1 });
      expect(await fixture.run(forced)).to.equal("completed");
      const metadata = { forced_conclusion: true, iterations_used: 1, max_iterations: 1 };
      expect(await answers(forced)).to.deep.equal([{ metadata, sent: metadata }]);
      const free = await fixture.executor.insert({ ...options, maxIterations: 2 });
      expect(await fixture.run(free)).to.equal("completed");
      expect(JSON.stringify(await answers(free))).not.to.include("forced_conclusion");
    });
  }
});
