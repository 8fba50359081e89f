import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import { until } from "../../../test/support/until.ts";
import { ask, cancelFollowUp } from "./follow-up-fixture.ts";
import { RunFixture } from "./run-fixture.ts";
import { JUDGE_PROMPT_HASH } from "../prompts/judge-prompts.ts";

/** Only prompts of a judge have it. */
const JUDGE = "Judge of Investigations";
const INVESTIGATION = { steps: [{ text: "it was the memory" }] };
const ANALYSIS = "The cause is named, and hallucinated_evidence was not found.";
const REPORT = "## Missing tools\nA list of limits.";

/** A judge that gives these replies, one after another. */
const judge = (...replies: readonly object[]) =>
  replies.map((step, index) => ({ when: { contains: JUDGE, call: index + 1 }, steps: [step] }));
const says = (text: string) => ({ text });

describe("a session that is scored", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start({ others: ["second"] }));
  });
  after(() => resources.disposeAsync());

  const play = (...replies: readonly object[]) => fixture.play(...judge(...replies), INVESTIGATION);

  /** A session that has completed; its scoring is open. */
  const ended = async (options: object = {}): Promise<string> => {
    const id = await fixture.executor.insert({ isScored: true, ...options });
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };

  const scoreOf = async (id: string): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      `SELECT c.status, total_score, score_analysis, tool_improvement_report, failure_tags, c.error_message, prompt_hash,
         score_triggered_by, f.status::text AS follow_up, g.status::text AS stage, g.stage_name, g.stage_type, g.stage_index
       FROM session_scores c JOIN follow_ups f USING (follow_up_id) JOIN stages g ON g.stage_id = c.stage_id
       WHERE c.session_id = $1 ORDER BY c.created_at DESC LIMIT 1`,
      [id],
    );
    return row;
  };
  const judgeCalls = async (id: string): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      `SELECT count(*)::int AS calls FROM llm_interactions WHERE session_id = $1 AND interaction_type = 'scoring'`,
      [id],
    );
    return row;
  };
  const scoreEvents = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      `SELECT payload ->> 'scoring_status' AS status, payload ->> 'total_score' AS score FROM events
       WHERE session_id = $1 AND payload ->> 'type' = 'session.score_updated' ORDER BY seq`,
      [id],
    );

  it("gets its scoring with the step that ends it, and a judge's score, report and tags afterwards", async () => {
    await play(says(`${ANALYSIS}\n\nTAGS: incomplete_evidence, unknown\n72`), says(REPORT));
    const id = await ended();
    expect(await scoreOf(id)).to.include({
      status: "pending",
      score_triggered_by: "auto",
      follow_up: "pending",
    });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await scoreOf(id)).to.deep.equal({
      status: "completed",
      total_score: 72,
      score_analysis: ANALYSIS,
      tool_improvement_report: REPORT,
      failure_tags: ["incomplete_evidence"],
      error_message: null,
      prompt_hash: JUDGE_PROMPT_HASH,
      score_triggered_by: "auto",
      follow_up: "completed",
      stage: "completed",
      stage_name: "Reflection",
      stage_type: "scoring",
      stage_index: 2,
    });
    expect(await judgeCalls(id)).to.deep.equal({ calls: 2 });
    expect(await scoreEvents(id)).to.deep.equal([
      { status: "pending", score: null },
      { status: "in_progress", score: null },
      { status: "completed", score: "72" },
    ]);
    const session = await fixture.executor.row("alert_sessions", "status, final_analysis", id);
    expect(session).to.deep.equal({ status: "completed", final_analysis: "it was the memory" });
    const rows = JSON.stringify(await fixture.timelineRows(id));
    expect(rows.match(/final_analysis/g)).to.have.length(1);
  });

  it("keeps the analysis of the first reply if the number comes two reminders later", async () => {
    await play(says(ANALYSIS), says("Is that not clear?"), says("61"), says(REPORT));
    const id = await ended();
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await scoreOf(id)).to.include({ status: "completed", total_score: 61, score_analysis: ANALYSIS });
    expect(await judgeCalls(id)).to.deep.equal({ calls: 4 });
  });

  it("fails after five reminders about invalid numbers, and can be scored again", async () => {
    const invalid = ["105", "-1", "8/10", "72.5", "about 70", "70%"];
    await play(...invalid.map(says));
    const id = await ended();
    expect(await fixture.run(id)).to.equal("followed-up");
    const error_message = "none of 6 replies ends with a valid score";
    expect(await scoreOf(id)).to.include({
      status: "failed",
      total_score: null,
      follow_up: "failed",
      error_message,
    });
    expect(await judgeCalls(id)).to.deep.equal({ calls: 6 });
    await ask(fixture.executor, id, { kind: "score", strategy: "scoring", stages: [["ScoringAgent"]] });
    await play(says("Good.\nTAGS: none\n90"), says(REPORT));
    expect(await fixture.run(id)).to.equal("followed-up");
  });

  it("is judged by another provider after the first error", async () => {
    await fixture.play(
      {
        when: { contains: JUDGE },
        steps: [{ error: { code: "credentials", message: "no", retryable: false } }],
      },
      INVESTIGATION,
    );
    await fixture.playOn("second", ...judge(says("Fine.\nTAGS: none\n80"), says(REPORT)));
    const id = await ended({ fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await scoreOf(id)).to.include({ status: "completed", total_score: 80 });
  });

  it("ends its score when its scoring is cancelled or times out, and goes on with its chat meanwhile", async () => {
    await fixture.play(
      { when: { contains: JUDGE }, steps: [{ text: "Let me think" }, { hang: true }] },
      INVESTIGATION,
    );
    const id = await ended();
    const chat = await ask(fixture.executor, id);
    const run = await fixture.begin(id);
    await until("the chat has been answered while the judge thinks", async () => {
      const chatRow = await fixture.executor.query(
        "SELECT status::text FROM follow_ups WHERE follow_up_id = $1",
        [chat.followUpId],
      );
      const rows = JSON.stringify(await fixture.timelineRows(id));
      return JSON.stringify(chatRow).includes("completed") && rows.includes("streaming");
    });
    expect(await scoreOf(id)).to.include({ status: "in_progress" });
    await cancelFollowUp(fixture.executor, id, { ...chat, followUpId: uuidFrom("follow-up:score", id) });
    expect(await run.end).to.equal("followed-up");
    expect(await scoreOf(id)).to.include({ status: "cancelled", follow_up: "cancelled", stage: "cancelled" });

    const slow = await ended();
    const soon = "jsonb_set(config, '{session_timeout_ms}', '500')";
    await changeConfig(fixture.executor, slow, soon, { of: "follow_ups.session_id" });
    expect(await fixture.run(slow)).to.equal("followed-up");
    expect(await scoreOf(slow)).to.include({ status: "failed", follow_up: "timed_out" });
  });

  it("is not scored if it does not complete", async () => {
    await fixture.play({ steps: [{ error: { code: "credentials", message: "no", retryable: false } }] });
    const id = await fixture.executor.insert({ isScored: true });
    expect(await fixture.run(id)).to.equal("failed");
    expect(
      await fixture.executor.query("SELECT 1 FROM session_scores WHERE session_id = $1", [id]),
    ).to.deep.equal([]);
  });
});
