import { expect } from "chai";
import { changeConfig } from "../../../test/support/change-config.ts";
import { until } from "../../../test/support/until.ts";
import { RunFixture } from "./run-fixture.ts";

const USAGE = { usage: { input_tokens: 5, output_tokens: 7, thinking_tokens: 2 } };
const ANSWER = { steps: [{ thinking: "hm" }, { text: "the disk is full" }, USAGE] };

/** Rows of the event log. */
const logged = (...events: string[]) => events.map((event) => ({ event }));
/** The same outcome for session, stage and execution. */
const same = (outcome: object) => [outcome, outcome, outcome];

describe("runSession", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.play(ANSWER));

  const table = async (name: string, columns: string, id: string) =>
    fixture.executor.query(`SELECT ${columns} FROM ${name} WHERE session_id = $1 ORDER BY created_at`, [id]);

  it("completes an investigation: rows, numbered events, tokens and conversation", async () => {
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.outcomes(id)).to.deep.equal(
      same({ status: "completed", error_code: null, error_message: null }),
    );
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "llm_thinking completed", content: "hm" },
      { row: "final_analysis completed", content: "the disk is full" },
    ]);
    expect(await fixture.eventLog(id)).to.deep.equal(
      logged(
        "session.status in_progress",
        "stage.started active",
        "session.progress",
        "execution.status active",
        "session.progress",
        "timeline_event.created llm_thinking streaming",
        "timeline_event.created final_analysis streaming",
        "timeline_event.completed llm_thinking completed",
        "timeline_event.completed final_analysis completed",
        "interaction.created",
        "execution.status completed",
        "session.progress",
        "stage.completed completed",
        "session.progress",
        "timeline_event.created executive_summary completed",
        "interaction.created",
        "session.status completed",
        "review.status",
        "session.completed completed",
      ),
    );
    expect(await table("messages", "sequence_number AS n, role", id)).to.deep.equal([
      { n: 1, role: "system" },
      { n: 2, role: "user" },
      { n: 3, role: "assistant" },
    ]);
    expect(
      await table(
        "llm_interactions",
        "interaction_type, model_name, llm_request, llm_response, thinking_content, input_tokens, output_tokens, error_message",
        id,
      ).then((rows) => rows.slice(0, 1)),
    ).to.deep.equal([
      {
        interaction_type: "iteration",
        model_name: "scripted-test",
        llm_request: { messages_count: 2, iteration: 1, provider: "scripted", tools_count: 0 },
        llm_response: {
          text_length: 16,
          tool_calls_count: 0,
          code_executions_count: 0,
          groundings_count: 0,
        },
        thinking_content: "hm",
        input_tokens: 5,
        output_tokens: 7,
        error_message: null,
      },
    ]);
    const sums = "input_tokens::int, output_tokens::int, thinking_tokens::int, lease_expires_at";
    expect(await fixture.executor.row("session_runtime", sums, id)).to.deep.equal({
      input_tokens: 8,
      output_tokens: 9,
      thinking_tokens: 3,
      lease_expires_at: null,
    });
    expect(
      await fixture.executor.row("alert_sessions", "final_analysis, current_stage_index", id),
    ).to.deep.equal({
      final_analysis: "the disk is full",
      current_stage_index: 1,
    });
  });

  it("sends each created event before its chunks, and the chunks before the completed event", async () => {
    const id = await fixture.executor.insert();
    await fixture.play({ steps: [{ text: "one two three four five", chunk_size: 3, chunk_delay: "20ms" }] });
    const heard = await fixture.executor.listen(id);
    expect(await fixture.run(id)).to.equal("completed");
    await until("the last event has arrived", () =>
      heard.some((message) => "seq" in message && message.seq === 17),
    );
    const order = heard.map((message) => ("seq" in message ? message.seq : message.delta));
    const chunks = order.slice(6, order.indexOf(7));
    expect(order.slice(0, 6)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(chunks.join("")).to.equal("one two three four five");
    expect(order.slice(order.indexOf(7))).to.deep.equal([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
  });

  it("runs the stages of a chain in order, each with the earlier answers", async () => {
    await fixture.play(
      { when: { contains: "stage-0" }, steps: [{ text: "second answer" }] },
      { steps: [{ text: "first answer" }] },
    );
    const id = await fixture.executor.insert({ stages: [["A", "B"], ["C"]], policy: "all" });
    expect(await fixture.run(id)).to.equal("completed");
    expect(
      await fixture.executor.row("alert_sessions", "final_analysis, current_stage_index", id),
    ).to.deep.equal({
      final_analysis: "second answer",
      current_stage_index: 2,
    });
    expect(
      await fixture.executor.query(
        "SELECT stage_name, success_policy, status FROM stages WHERE session_id = $1 ORDER BY stage_index",
        [id],
      ),
    ).to.deep.equal([
      { stage_name: "stage-0", success_policy: "all", status: "completed" },
      { stage_name: "stage-1", success_policy: null, status: "completed" },
    ]);
  });

  it("fails execution, stage and session with the provider's message, an error event and an interaction", async () => {
    await fixture.play({
      steps: [
        { thinking: "hm" },
        { text: "I would" },
        { error: { code: "content_blocked", message: "not this", retryable: false } },
      ],
    });
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("failed");
    expect(await fixture.outcomes(id)).to.deep.equal(
      same({ status: "failed", error_code: "content_blocked", error_message: "not this" }),
    );
    expect(await fixture.timelineRows(id)).to.deep.equal([
      { row: "llm_thinking failed", content: "hm\n\n[The answer broke off here.]" },
      { row: "final_analysis failed", content: "I would\n\n[The answer broke off here.]" },
      { row: "error completed", content: "LLM error: not this (code: content_blocked, retryable: false)" },
    ]);
    expect(await table("llm_interactions", "error_code, error_message", id)).to.deep.equal([
      { error_code: "content_blocked", error_message: "not this" },
    ]);
    expect(await fixture.executor.row("alert_sessions", "final_analysis", id)).to.deep.equal({
      final_analysis: null,
    });
  });

  it("fails a session whose stored configuration is malformed or missing", async () => {
    const id = await fixture.executor.insert();
    await changeConfig(fixture.executor, id, "'{}'::jsonb");
    const missing = await fixture.executor.insert();
    await fixture.executor.query("UPDATE alert_sessions SET config_hash = 'gone' WHERE session_id = $1", [
      missing,
    ]);
    for (const session of [id, missing]) {
      expect(await fixture.run(session)).to.equal("failed");
      expect(await fixture.executor.row("alert_sessions", "error_code", session)).to.deep.equal({
        error_code: "malformed",
      });
    }
  });
});
