import { expect } from "chai";
import { Client } from "pg";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../../test/support/until.ts";
import { CHANNEL, ListeningFixture, OPEN_CHANNEL, PEOPLE } from "./listening-fixture.ts";

describe("what people write in Slack", () => {
  let fixture: ListeningFixture;

  beforeEach(async () => {
    fixture = await ListeningFixture.start();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const reactions = (ts: string) =>
    fixture.slack.workspace.reactions.filter(({ timestamp }) => timestamp === ts).map(({ name }) => name);

  it("reaches the agents of the thread's session once, with eyes when it is stored and a check when it is read", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.listen();
    const ts = fixture.slack.mention(
      CHANNEL,
      PEOPLE.operator,
      "look at <https://x.example|db-7> &amp; tell",
      { thread },
    );
    await fixture.settled(1);
    expect(await fixture.notes(id)).to.deep.equal([
      { mode: "note", content: "look at https://x.example & tell", author: "olga@example.com" },
    ]);
    // The text is the session's now, and is deleted with it.
    expect(
      await fixture.api.servers.query("SELECT FROM external_events WHERE payload ? 'text'", []),
    ).to.deep.equal([]);
    expect(reactions(ts)).to.deep.equal(["eyes"]);
    await fixture.api.servers.query(
      "INSERT INTO steering_deliveries (message_id, execution_id, session_id) SELECT message_id, gen_random_uuid(), session_id FROM steering_messages WHERE session_id = $1",
      [id],
    );
    await until("the note was read", () => reactions(ts).length === 2);
    expect(reactions(ts)).to.deep.equal(["eyes", "white_check_mark"]);
    const audited = await fixture.api.servers.query(
      "SELECT action, result, via, subject, peer FROM audit_log WHERE session_id = $1 AND action = 'session.steer'",
      [id],
    );
    expect(audited).to.deep.equal([
      {
        action: "session.steer",
        result: "allowed",
        via: "slack",
        subject: `T0FAKE:${PEOPLE.operator}`,
        peer: "slack",
      },
    ]);
  });

  it("asks the agents to conclude if it says stop and nothing else", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "Stop!", { thread });
    await fixture.settled(1);
    expect(await fixture.notes(id)).to.deep.equal([
      { mode: "conclude", content: null, author: "olga@example.com" },
    ]);
  });

  it("is refused as a note that is longer than agents read, and its author reads the limit", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "x".repeat(4_001), { thread });
    const [event] = await fixture.settled(1);
    expect(event?.state).to.equal("refused");
    expect(await fixture.notes(id)).to.deep.equal([]);
    expect(fixture.slack.workspace.ephemerals[0]?.text).to.contain("4000");
  });

  it("is a question once the session has ended, whose answer comes into the thread once", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.end(id);
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "why?", { thread });
    await fixture.settled(1);
    expect(await fixture.questions(id)).to.deep.equal([{ content: "why?", author: "olga@example.com" }]);
    await fixture.api.servers.query(
      `WITH g AS (UPDATE stages SET status = 'completed', completed_at = now() WHERE session_id = $1 RETURNING stage_id)
       INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content)
       SELECT gen_random_uuid(), e.session_id, e.stage_id, e.execution_id, 100, 'final_analysis', 'completed', 'a <log> grew'
       FROM g JOIN agent_executions e USING (stage_id)`,
      [id],
    );
    const answers = () => fixture.slack.posted().filter(({ text }) => text === "Answer");
    await until("the answer is there", () => answers().length > 0);
    expect(answers()).to.have.length(1);
    expect(answers()[0]).to.include({ channel: CHANNEL, thread_ts: thread });
    expect(JSON.stringify(answers()[0]?.blocks)).to.contain("a &lt;log&gt; grew");
  });

  it("waits while another question is answered", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.end(id);
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "first?", { thread });
    await fixture.settled(1);
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "second?", { thread });
    await until("it was tried", async () =>
      (await fixture.events()).some(({ last_error }) => last_error?.includes("already") === true),
    );
    expect(await fixture.questions(id)).to.have.length(1);
    await fixture.api.servers.query(
      "UPDATE follow_ups SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [id],
    );
    await fixture.api.servers.query(
      "UPDATE external_events SET not_before = now() WHERE state = 'pending'",
      [],
    );
    await fixture.settled(2);
    expect(await fixture.questions(id)).to.have.length(2);
  });

  it("starts a session where that is allowed, with the message that it answers, and its news stay in the thread", async () => {
    await fixture.listen();
    const thread = fixture.slack.say(OPEN_CHANNEL, "see below", {
      user: "U0BOT",
      attachments: [{ text: "[FIRING] disk full on db-7" }],
    });
    const ts = fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "please look", { thread });
    await fixture.settled(1);
    const rows = await fixture.api.servers.query(
      "SELECT session_id AS id, alert_data AS data, author, owner_subject AS owner FROM alert_sessions",
      [],
    );
    expect(rows).to.have.length(1);
    const { id, ...row } = parseStarted(rows[0]);
    expect(row).to.deep.equal({
      data: "please look\n\nThe message in Slack that this is about:\nsee below\n[FIRING] disk full on db-7",
      author: "sam@example.com",
      owner: `slack:T0FAKE:${PEOPLE.submitter}`,
    });
    expect(reactions(ts)).to.deep.equal(["eyes"]);
    await fixture.begin(id);
    await until("it is announced", () => fixture.slack.posted().length === 1);
    await fixture.end(id);
    await until(
      "the message has the end",
      () => fixture.slack.posted()[0]?.text === "Analysis Complete (test)",
    );
    expect(fixture.slack.posted().map(({ channel, thread_ts }) => [channel, thread_ts])).to.deep.equal([
      [OPEN_CHANNEL, thread],
    ]);
    // Its author may ask, too.
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "why?", { thread });
    await fixture.settled(2);
    expect(await fixture.questions(id)).to.have.length(1);
  });

  for (const [who, member, where, why] of [
    ["someone unknown", PEOPLE.stranger, "thread", "you are not known to TARSy"],
    ["a viewer", PEOPLE.viewer, "thread", "not yours to see"],
    ["a submitter of other sessions", PEOPLE.submitter, "thread", "not yours to see"],
    ["an operator elsewhere", PEOPLE.operator, "elsewhere", "none is started in this channel"],
    ["a viewer where sessions are started", PEOPLE.viewer, "open", "alert.submit needs role submitter"],
  ] as const) {
    it(`does nothing if it is of ${who}, who alone reads why, and the refusal is recorded`, async () => {
      const { id, thread } = await fixture.sessionInThread();
      await fixture.listen();
      const channel = where === "open" ? OPEN_CHANNEL : CHANNEL;
      fixture.slack.mention(channel, member, "do it", where === "thread" ? { thread } : {});
      const [event] = await fixture.settled(1);
      expect(event).to.include({ state: "refused", actor: member });
      expect(await fixture.notes(id)).to.deep.equal([]);
      expect(fixture.slack.posted()).to.have.length(1);
      const [said, ...rest] = fixture.slack.workspace.ephemerals;
      expect(rest).to.deep.equal([]);
      expect(said).to.include({ channel, user: member });
      expect(said?.text).to.contain(why);
      await until(
        "the refusal is recorded",
        async () =>
          (
            await fixture.api.servers.query("SELECT FROM audit_log WHERE result = 'refused' AND peer = $1", [
              `slack:${member}`,
            ])
          ).length === 1,
      );
      expect(await fixture.api.servers.query("SELECT FROM alert_sessions", [])).to.have.length(1);
    });
  }

  for (const [what, more] of [
    ["a guest", { is_restricted: true }],
    ["a member of another workspace", { team_id: "T0OTHER" }],
    ["someone who has left", { deleted: true }],
    ["a bot", { is_bot: true }],
  ] as const) {
    it(`does nothing if it is of ${what} with the address of an operator`, async () => {
      const { id, thread } = await fixture.sessionInThread();
      fixture.slack.join("U0FAKE", "olga@example.com", more);
      await fixture.listen();
      fixture.slack.mention(CHANNEL, "U0FAKE", "do it", { thread });
      const [event] = await fixture.settled(1);
      expect(event?.state).to.equal("refused");
      expect(await fixture.notes(id)).to.deep.equal([]);
    });
  }

  it("is not answered about a session of teams that are not those of the channel", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.api.servers.query("UPDATE alert_sessions SET teams = '{red}' WHERE session_id = $1", [id]);
    await fixture.listen();
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "do it", { thread });
    const [event] = await fixture.settled(1);
    expect(event?.state).to.equal("refused");
  });

  it("has no secrets where it is stored", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.listen();
    const stored = async () =>
      fixture.api.servers.query("SELECT payload::text, result::text FROM external_events", []);
    const holding = new Client(fixture.api.servers.postgres.url);
    await holding.connect();
    await holding.query("BEGIN; LOCK TABLE steering_messages IN SHARE MODE");
    fixture.slack.mention(CHANNEL, PEOPLE.operator, "use password=hunter2-Secret!9", { thread });
    await until("the event is stored", async () => JSON.stringify(await stored()).includes("MASKED_"));
    const before = await stored();
    await holding.query("ROLLBACK");
    await holding.end();
    await fixture.settled(1);
    expect(JSON.stringify([before, await stored(), await fixture.notes(id)])).not.to.contain("hunter2");
  });
});

const parseStarted = compileParser(
  "session",
  Type.Object({ id: Type.String(), data: Type.String(), author: Type.String(), owner: Type.String() }),
);
