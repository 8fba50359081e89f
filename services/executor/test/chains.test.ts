import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SuccessPolicy } from "#shared/contracts/statuses.ts";
import { until } from "../../../test/support/until.ts";
import { RunFixture } from "./run-fixture.ts";

/** The model's replies by agent name, which is in the first message of a single-call agent. */
const SCRIPT = [
  {
    when: { contains: "You are Fails" },
    steps: [{ error: { code: "content_blocked", message: "no", retryable: false } }],
  },
  { when: { contains: "You are Hangs" }, steps: [{ text: "so far" }, { hang: true }] },
  { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
  { steps: [{ thinking: "hm" }, { text: "found it" }] },
];

/** Only the agent that hangs has little time. */
const HANGS_SHORTLY = (agent: string) => (agent === "Hangs" ? 700 : 120_000);

const parseText = compileParser("one text", Type.Object({ text: Type.String() }));
const parseRequest = compileParser("summary request", Type.Object({ content: Type.String() }));

describe("a chain", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.play(...SCRIPT));

  const rows = async (sql: string, id: string) => fixture.executor.query(sql, [id]);
  const session = async (id: string) =>
    fixture.executor.row(
      "alert_sessions",
      "status, error_message, final_analysis, executive_summary, executive_summary_error",
      id,
    );
  const texts = async (sql: string, id: string) => (await rows(sql, id)).map((row) => parseText(row).text);
  const executions = async (id: string) =>
    texts(
      `SELECT stage_index || '.' || agent_index || ' ' || agent_name || ' ' || e.status AS text
       FROM agent_executions e JOIN stages USING (stage_id) WHERE e.session_id = $1 ORDER BY stage_index, agent_index`,
      id,
    );
  /** The first user message of each execution of a stage, by agent index. */
  const starts = async (id: string, stage: number) =>
    texts(
      `SELECT content AS text FROM messages JOIN agent_executions USING (execution_id) JOIN stages ON stages.stage_id = messages.stage_id
       WHERE messages.session_id = $1 AND sequence_number = 2 AND stage_index = ${stage} ORDER BY agent_index`,
      id,
    );

  it("synthesises the results of several agents and continues with the next stage", async () => {
    const id = await fixture.executor.insert({ stages: [["One", "Fails", "Two"], ["Three"]] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await executions(id)).to.deep.equal([
      "1.1 One completed",
      "1.2 Fails failed",
      "1.3 Two completed",
      "1.4 SynthesisAgent completed",
      "2.1 Three completed",
    ]);
    expect(await session(id)).to.deep.equal({
      status: "completed",
      error_message: null,
      final_analysis: "found it",
      executive_summary: "In short.",
      executive_summary_error: null,
    });
    const [, , , synthesisInput] = await starts(id, 1);
    expect(synthesisInput).to.include("2/3 agents completed");
    for (const part of ["Agent 1: One", "Agent 2: Fails", "Agent 3: Two", "found it", "LLM error: no"]) {
      expect(synthesisInput).to.include(part);
    }
    const [later] = await starts(id, 2);
    expect(later).to.include("both agree").and.not.include("found it");
  });

  it("publishes an event for every stage, execution and progress step", async () => {
    const id = await fixture.executor.insert({ stages: [["One", "Two"], ["Three"]], maxParallel: 1 });
    expect(await fixture.run(id)).to.equal("completed");
    const published = await texts(
      `SELECT concat_ws(' ', payload ->> 'type', payload ->> 'stage_index', payload ->> 'agent_index', payload ->> 'status',
                        payload ->> 'active_executions', payload ->> 'current_stage_type', payload ->> 'status_text',
                        payload ->> 'interaction_type') AS text
       FROM events WHERE session_id = $1 AND payload ->> 'type' NOT LIKE 'timeline%' ORDER BY seq`,
      id,
    );
    const first = "Stage 1 of 2 (stage-0)";
    const second = "Stage 2 of 2 (stage-1)";
    expect(published).to.deep.equal([
      "session.status in_progress",
      "stage.started 1 active",
      `session.progress 0 ${first}: starting 2 agents`,
      "execution.status 1 active",
      `session.progress 1 ${first}: 1 agent running`,
      "interaction.created llm",
      "execution.status 1 completed",
      `session.progress 0 ${first}: no agent running`,
      "execution.status 2 active",
      `session.progress 1 ${first}: 1 agent running`,
      "interaction.created llm",
      "execution.status 2 completed",
      `session.progress 0 ${first}: no agent running`,
      "execution.status 3 active",
      `session.progress 1 synthesis ${first}: combining the results of 2 agents`,
      "interaction.created llm",
      "execution.status 3 completed",
      `session.progress 0 synthesis ${first}: no agent running`,
      "stage.completed 1 completed",
      "stage.started 2 active",
      `session.progress 0 ${second}: starting 1 agent`,
      "execution.status 1 active",
      `session.progress 1 ${second}: 1 agent running`,
      "interaction.created llm",
      "execution.status 1 completed",
      `session.progress 0 ${second}: no agent running`,
      "stage.completed 2 completed",
      "session.progress 0 exec_summary Writing the executive summary",
      "interaction.created llm",
      "session.status completed",
      "review.status",
      "session.completed completed",
    ]);
  });

  const ends: readonly (readonly [SuccessPolicy, readonly string[], string, string | null])[] = [
    ["any", ["One", "Hangs", "Fails"], "completed", null],
    ["any", ["Fails", "Hangs"], "failed", "all agents failed: no"],
    ["any", ["Hangs", "Hangs", "Hangs"], "timed_out", "all agents timed out"],
    ["all", ["One", "Two"], "completed", null],
    ["all", ["One", "Fails"], "failed", "one or more agents failed: no"],
    ["all", ["Hangs", "One"], "failed", "one or more agents failed"],
    ["all", ["Hangs", "Hangs"], "timed_out", "all agents timed out"],
  ];
  for (const [policy, agents, status, error] of ends) {
    it(`ends ${status} by policy ${policy} for ${agents.join(" and ")}, every agent with its own status`, async () => {
      const id = await fixture.executor.insert({
        stages: [["Zero"], agents, ["Last"]],
        policy,
        iterationTimeoutMs: HANGS_SHORTLY,
      });
      expect(await fixture.run(id)).to.equal(status);
      const fate = (name: string) =>
        name === "Fails" ? "failed" : name === "Hangs" ? "timed_out" : "completed";
      const ran = agents.map((name, index) => `2.${index + 1} ${name} ${fate(name)}`);
      const after =
        status === "completed"
          ? [`2.${agents.length + 1} SynthesisAgent completed`, "3.1 Last completed"]
          : [];
      expect(await executions(id)).to.deep.equal(["1.1 Zero completed", ...ran, ...after]);
      expect(await session(id)).to.include({
        status,
        error_message: error,
        // After a failure: the last answer of the failed stage, else of an earlier stage.
        final_analysis: "found it",
        executive_summary: status === "completed" ? "In short." : null,
      });
    });
  }

  it("fails a stage whose synthesis fails, with the error of the synthesis", async () => {
    const refused = { error: { code: "invalid_request", message: "too long", retryable: false } };
    await fixture.play(
      { when: { contains: "Bring the results" }, steps: [refused] },
      { steps: [{ text: "found it" }] },
    );
    const id = await fixture.executor.insert({ stages: [["One", "Two"], ["Three"]] });
    expect(await fixture.run(id)).to.equal("failed");
    expect(await executions(id)).to.deep.equal([
      "1.1 One completed",
      "1.2 Two completed",
      "1.3 SynthesisAgent failed",
    ]);
    expect(await session(id)).to.include({ error_message: "too long", final_analysis: "found it" });
  });

  it("completes although the summary fails, and records why", async () => {
    const summary = { contains: "summaries of incident analyses" };
    const cases: readonly (readonly [object[], object, string])[] = [
      [[{ error: { code: "rate_limited", message: "not now" } }], {}, "not now"],
      [[{ text: "  \n" }], {}, "the model returned no text"],
      // The agent answers within the same time.
      [[{ hang: true }], { iterationTimeoutMs: 4_000 }, "LLM call timed out after 4 s"],
      [[{ hang: true }], { sessionTimeoutMs: 6_000 }, "session timed out after 6 s"],
    ];
    for (const [steps, options, error] of cases) {
      await fixture.playExactly({ when: summary, steps }, { steps: [{ text: "found it" }] });
      const id = await fixture.executor.insert(options);
      expect(await fixture.run(id), error).to.equal("completed");
      expect(await session(id)).to.deep.equal({
        status: "completed",
        error_message: null,
        final_analysis: "found it",
        executive_summary: null,
        executive_summary_error: error,
      });
      expect(
        await rows(
          "SELECT interaction_type, error_message FROM llm_interactions WHERE session_id = $1 ORDER BY created_at DESC LIMIT 1",
          id,
        ),
      ).to.deep.equal([{ interaction_type: "executive_summary", error_message: error }]);
    }
  });

  it("records the input of the summary with the execution that produced the analysis", async () => {
    const id = await fixture.executor.insert({ stages: [["One", "Two"]] });
    expect(await fixture.run(id)).to.equal("completed");
    const [call] = await rows(
      `SELECT agent_name, llm_request #>> '{messages,1,content}' AS content FROM llm_interactions
       JOIN agent_executions USING (execution_id)
       WHERE llm_interactions.session_id = $1 AND interaction_type = 'executive_summary'`,
      id,
    );
    expect(call).to.include({ agent_name: "SynthesisAgent" });
    expect(parseRequest(call).content).to.include("both agree");
    expect(
      await rows(
        `SELECT agent_name, content, timeline_events.status, llm_interaction_id IS NOT NULL AS linked
         FROM timeline_events JOIN agent_executions USING (execution_id)
         WHERE timeline_events.session_id = $1 AND event_type = 'executive_summary'`,
        id,
      ),
    ).to.deep.equal([
      { agent_name: "SynthesisAgent", content: "In short.", status: "completed", linked: true },
    ]);
  });

  it("ends everything open at the session deadline and keeps the answers so far", async () => {
    const id = await fixture.executor.insert({
      stages: [["Zero"], ["One", "Hangs", "Hangs"]],
      maxParallel: 2,
    });
    const { end } = await fixture.begin(id);
    await until("two agents hang and nothing else is left to do", async () =>
      isDeepStrictEqual(await executions(id), [
        "1.1 Zero completed",
        "2.1 One completed",
        "2.2 Hangs active",
        "2.3 Hangs active",
      ]),
    );
    fixture.stop(id, "session_deadline");
    expect(await end).to.equal("timed_out");
    expect(await executions(id)).to.deep.equal([
      "1.1 Zero completed",
      "2.1 One completed",
      "2.2 Hangs timed_out",
      "2.3 Hangs timed_out",
    ]);
    expect(await session(id)).to.include({ status: "timed_out", final_analysis: "found it" });
    expect(
      await rows(
        `SELECT payload ->> 'agent_index' AS agent, payload ->> 'status' AS status FROM events
         WHERE session_id = $1 AND payload ->> 'type' = 'execution.status' ORDER BY seq DESC LIMIT 2`,
        id,
      ),
    ).to.have.deep.members([
      { agent: "2", status: "timed_out" },
      { agent: "3", status: "timed_out" },
    ]);
  });
});
