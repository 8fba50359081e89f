import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { until } from "../../../test/support/until.ts";
import { cancelFollowUp } from "./follow-up-fixture.ts";
import { remember } from "./memory-fixture.ts";
import { RunFixture } from "./run-fixture.ts";

/** Only prompts of a judge have it. */
const JUDGE = "Judge of Investigations";
const INVESTIGATION = { steps: [{ text: "it was the tapir's disk" }] };
const SCORE = { text: "The cause is named.\n\nTAGS: none\n72" };
const REPORT = { text: 'Improve {"create": []} nothing.' };

const judge = (...replies: readonly object[]) =>
  replies.map((step, index) => ({ when: { contains: JUDGE, call: index + 1 }, steps: [step] }));
const lesson = (content: string) => ({ content, category: "semantic", valence: "negative" });
const lessons = (reply: object) => ({ text: JSON.stringify(reply) });

describe("what is learned from a score", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const play = (...replies: readonly object[]) => fixture.play(...judge(...replies), INVESTIGATION);
  const ended = async (team: string, { remembers = true } = {}): Promise<string> => {
    const id = await fixture.executor.insert({ isScored: true, remembers, alert: "the tapir is full" });
    await fixture.executor.query(
      "UPDATE alert_sessions SET owner_subject = 'key:ann', teams = $2 WHERE session_id = $1",
      [id, [team]],
    );
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };
  const scoreOf = async (id: string): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      `SELECT c.status, total_score, score_analysis, c.error_message, f.status::text AS follow_up
       FROM session_scores c JOIN follow_ups f USING (follow_up_id) WHERE c.session_id = $1`,
      [id],
    );
    return row;
  };
  const calls = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      `SELECT interaction_type::text AS type, count(*)::int AS calls FROM llm_interactions JOIN stages USING (stage_id)
       WHERE llm_interactions.session_id = $1 AND stage_type = 'scoring' GROUP BY interaction_type ORDER BY min(llm_interactions.created_at)`,
      [id],
    );
  const events = async (id: string): Promise<unknown> =>
    fixture.executor.query(
      `SELECT concat_ws(' ', payload ->> 'scoring_status', payload ->> 'total_score') AS event FROM events
       WHERE session_id = $1 AND payload ->> 'type' = 'session.score_updated' ORDER BY seq`,
      [id],
    );
  const learned = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      `SELECT content, round(confidence::numeric, 2)::float8 AS confidence, origin, rating, owner_subject, teams, deprecated
       FROM investigation_memories WHERE source_session_id = $1 ORDER BY content`,
      [id],
    );
  const known = async (id: string): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      "SELECT round(confidence::numeric, 2)::float8 AS confidence, deprecated FROM investigation_memories WHERE memory_id = $1",
      [id],
    );
    return row;
  };
  const TWO_CALLS = [{ type: "scoring", calls: 2 }];
  const THREE_CALLS = [...TWO_CALLS, { type: "memory_extraction", calls: 1 }];

  it("is one more call of the judge, which sees the notes that its readers may see and changes no others", async () => {
    const team = "score";
    const right = await remember(fixture.executor, { content: "the tapir has a small disk", teams: [team] });
    const wrong = await remember(fixture.executor, { content: "the tapir has no disk", teams: [team] });
    const other = await remember(fixture.executor, { content: "the tapir of others", teams: ["others"] });
    await play(
      SCORE,
      REPORT,
      lessons({
        create: [lesson("Look at the tapir's disk first.")],
        reinforce: [{ memory_id: right }, { memory_id: other }],
        deprecate: [
          { memory_id: wrong, reason: "it has one" },
          { memory_id: other, reason: "x" },
        ],
      }),
    );
    const id = await ended(team);
    await fixture.executor.query(
      "UPDATE alert_sessions SET quality_rating = 'accurate' WHERE session_id = $1",
      [id],
    );
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await scoreOf(id)).to.include({ status: "completed", total_score: 72, follow_up: "completed" });
    expect(await calls(id)).to.deep.equal(THREE_CALLS);
    expect(await events(id)).to.deep.equal(
      ["pending", "in_progress", "memorizing 72", "completed 72"].map((event) => ({ event })),
    );
    expect(await learned(id)).to.deep.equal([
      {
        content: "Look at the tapir's disk first.",
        confidence: 0.84,
        origin: "investigation",
        rating: "accurate",
        owner_subject: "key:ann",
        teams: [team],
        deprecated: false,
      },
    ]);
    expect(await known(right)).to.deep.equal({ confidence: 0.77, deprecated: false });
    expect(await known(wrong)).to.include({ deprecated: true });
    expect(await known(other)).to.deep.equal({ confidence: 0.7, deprecated: false });
    const [question] = await fixture.executor.query(
      `SELECT content FROM messages JOIN stages USING (stage_id)
       WHERE messages.session_id = $1 AND stage_type = 'scoring' AND role = 'user' ORDER BY sequence_number DESC LIMIT 1`,
      [id],
    );
    expect(question).to.have.property("content").that.includes(right).and.includes("KNOWN_NOTES_START");
    expect(question).to.have.property("content").that.does.not.include("of others");
  });

  it("is nothing where the session does not remember, whatever the report says", async () => {
    await play(SCORE, { text: JSON.stringify({ create: [lesson("from the report")] }) });
    const id = await ended("off", { remembers: false });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await calls(id)).to.deep.equal(TWO_CALLS);
    expect(await learned(id)).to.deep.equal([]);
  });

  for (const [name, third] of [
    ["cannot be read", { text: "Nothing to note {" }],
    ["fails", { error: { code: "credentials", message: "no", retryable: false } }],
    ["is empty", { text: "" }],
  ] as const) {
    it(`is nothing, and the score stands, if the reply ${name}`, async () => {
      await play(SCORE, { text: JSON.stringify({ create: [lesson("from the report")] }) }, third);
      const id = await ended("nothing");
      expect(await fixture.run(id)).to.equal("followed-up");
      expect(await scoreOf(id)).to.deep.equal({
        status: "completed",
        total_score: 72,
        score_analysis: "The cause is named.",
        error_message: null,
        follow_up: "completed",
      });
      expect(await learned(id)).to.deep.equal([]);
    });
  }

  it("is nothing, and the score stands, if it is cancelled before the reply", async () => {
    await play(SCORE, REPORT, { hang: true });
    const id = await ended("late");
    const run = await fixture.begin(id);
    await until("the judge draws lessons", async () =>
      JSON.stringify(await scoreOf(id)).includes('"memorizing","total_score":72'),
    );
    const followUpId = uuidFrom("follow-up:score", id);
    await cancelFollowUp(fixture.executor, id, { followUpId });
    expect(await run.end).to.equal("followed-up");
    expect(await events(id)).to.deep.equal(
      ["pending", "in_progress", "memorizing 72", "completed 72"].map((event) => ({ event })),
    );
    expect(await scoreOf(id)).to.include({ status: "completed", total_score: 72, follow_up: "cancelled" });
    expect(await learned(id)).to.deep.equal([]);
  });
});
