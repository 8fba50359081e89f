import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../../test/support/until.ts";
import { CHANNEL, ListeningFixture, OPEN_CHANNEL, PEOPLE } from "./listening-fixture.ts";

const parseReview = compileParser(
  "review",
  Type.Object({
    review_status: Type.Union([Type.String(), Type.Null()]),
    quality_rating: Type.Union([Type.String(), Type.Null()]),
    assignee: Type.Union([Type.String(), Type.Null()]),
  }),
);
const parseApproval = compileParser(
  "approval",
  Type.Object({ state: Type.String(), decided_by: Type.Union([Type.String(), Type.Null()]) }),
);

describe("reactions and buttons in Slack", () => {
  let fixture: ListeningFixture;

  beforeEach(async () => {
    fixture = await ListeningFixture.start({ approvals: true });
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const review = async (id: string) => {
    const [row] = await fixture.api.servers.query(
      "SELECT review_status, quality_rating, assignee FROM alert_sessions WHERE session_id = $1",
      [id],
    );
    return parseReview(row);
  };
  const approval = async (id: string) => {
    const [row] = await fixture.api.servers.query(
      "SELECT state, decided_by FROM approvals WHERE approval_id = $1",
      [id],
    );
    return parseApproval(row);
  };
  /** The message that asks about a call. */
  const asked = async (id: string, args?: string) => {
    const approvalId = await fixture.ask(id, args);
    const found = () => fixture.slack.posted().find(({ text }) => text.startsWith("Approval needed"));
    await until("the question is in Slack", () => found() !== undefined);
    return { approvalId, message: found() };
  };

  it("review a session: the last one counts, and one that is taken back opens the review again", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.end(id);
    await fixture.listen();
    fixture.slack.react(CHANNEL, PEOPLE.operator, "+1::skin-tone-3", thread);
    await fixture.settled(1);
    const actor = { assignee: "olga@example.com" };
    expect(await review(id)).to.deep.equal({
      review_status: "reviewed",
      quality_rating: "accurate",
      ...actor,
    });
    fixture.slack.react(CHANNEL, PEOPLE.operator, "-1", thread);
    fixture.slack.react(CHANNEL, PEOPLE.operator, "tada", thread);
    await fixture.settled(2);
    expect(await review(id)).to.deep.equal({
      review_status: "reviewed",
      quality_rating: "inaccurate",
      ...actor,
    });
    // It is not the review any more.
    fixture.slack.react(CHANNEL, PEOPLE.operator, "+1", thread, true);
    await fixture.settled(3);
    expect((await review(id)).quality_rating).to.equal("inaccurate");
    fixture.slack.react(CHANNEL, PEOPLE.operator, "-1", thread, true);
    await fixture.settled(4);
    expect(await review(id)).to.deep.equal({
      review_status: "needs_review",
      quality_rating: null,
      assignee: null,
    });
  });

  it("of people who may not review are passed over without a word", async () => {
    const { id, thread } = await fixture.sessionInThread();
    await fixture.end(id);
    await fixture.listen();
    for (const who of [PEOPLE.stranger, PEOPLE.viewer, PEOPLE.submitter]) {
      fixture.slack.react(CHANNEL, who, "-1", thread);
    }
    const events = await fixture.settled(3);
    expect(events.map(({ state }) => state)).to.deep.equal(["refused", "refused", "refused"]);
    expect((await review(id)).review_status).to.equal("needs_review");
    expect(fixture.slack.workspace.ephemerals).to.deep.equal([]);
  });

  it("decide about a call once: of two who press the second reads who did", async () => {
    const { id } = await fixture.sessionInThread();
    await fixture.listen();
    await fixture.listen();
    const { approvalId, message } = await asked(id);
    const approve = fixture.slack.buttonOf(message, "tarsy_approve");
    if (message === undefined) throw new Error("no message");
    fixture.slack.press(PEOPLE.operator, message, approve);
    fixture.slack.press(PEOPLE.operator, message, fixture.slack.buttonOf(message, "tarsy_deny"));
    const events = await fixture.settled(2);
    expect(events.map(({ state }) => state).toSorted()).to.deep.equal(["done", "refused"]);
    const { state, decided_by } = await approval(approvalId);
    expect(state).to.be.oneOf(["approved", "denied"]);
    expect(decided_by).to.equal(`slack:T0FAKE:${PEOPLE.operator}`);
    const shown = fixture.slack.messages.find(({ ts }) => ts === message.ts);
    expect(shown?.text).to.contain(`${state} by <@${PEOPLE.operator}>`);
    expect(JSON.stringify(shown?.blocks)).not.to.contain("tarsy_approve");
    expect(fixture.slack.workspace.ephemerals.map(({ text }) => text).join()).to.contain(
      "already been decided",
    );
  });

  it("show arguments as they are, and decide about none of which a reader does not see all", async () => {
    const { id } = await fixture.sessionInThread();
    await fixture.listen();
    const { message } = await asked(id, '{"pod":"*a* ~b~ <!channel> :x:"}');
    expect(JSON.stringify(message?.blocks)).to.contain("*a* ~b~ <!channel> :x:").and.contain("tarsy_approve");
    for (const [n, hidden] of ["\u200b", "\u{e0041}", "\u202e", "\u00ad"].entries()) {
      await fixture.ask(id, `{"pod":"a${hidden}"}`);
      const questions = () => fixture.slack.posted().filter(({ text }) => text.startsWith("Approval needed"));
      await until("it is asked", () => questions().length === n + 2);
      expect(JSON.stringify(questions().at(-1)?.blocks))
        .to.not.contain("tarsy_approve")
        .and.not.contain(hidden);
    }
  });

  it("review a session from the message with its end, and say so to the person who presses", async () => {
    await fixture.listen();
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "look");
    await fixture.settled(1);
    const [row] = await fixture.api.servers.query("SELECT session_id::text AS id FROM alert_sessions", []);
    const { id } = parseId(row);
    await fixture.begin(id);
    await fixture.end(id);
    const message = () => fixture.slack.posted().find(({ text }) => text === "Analysis Complete (test)");
    await until("it has the end", () => message() !== undefined);
    const shown = message();
    if (shown === undefined) throw new Error("no message");
    fixture.slack.press(PEOPLE.viewer, shown, fixture.slack.buttonOf(shown, "tarsy_inaccurate"));
    await fixture.settled(2);
    fixture.slack.press(PEOPLE.submitter, shown, fixture.slack.buttonOf(shown, "tarsy_accurate"));
    const events = await fixture.settled(3);
    expect(events.map(({ state }) => state)).to.deep.equal(["done", "refused", "done"]);
    expect(await review(id)).to.deep.equal({
      review_status: "reviewed",
      quality_rating: "accurate",
      assignee: "sam@example.com",
    });
    const said = fixture.slack.workspace.ephemerals.map(({ user, text }) => [user, text]);
    expect(said[0]?.[1]).to.contain("needs role submitter");
    expect(said[1]).to.deep.equal([PEOPLE.submitter, "Reviewed as accurate."]);
  });

  it("do not wait for messages in a channel that was archived", async () => {
    await fixture.listen();
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "look");
    await fixture.settled(1);
    const [row] = await fixture.api.servers.query("SELECT session_id::text AS id FROM alert_sessions", []);
    fixture.slack.disturb({ kind: "error", error: "is_archived" });
    await fixture.begin(parseId(row).id);
    const outbox = async (sql: string) =>
      fixture.api.servers.query(`SELECT state, last_error FROM ${sql}`, []);
    await until("it is given up", async () => (await outbox("outbox WHERE state = 'dead'")).length === 1);
    expect(await outbox("outbox WHERE state = 'dead'")).to.deep.equal([
      { state: "dead", last_error: "chat.postMessage: is_archived" },
    ]);
    expect(
      await fixture.api.servers.query("SELECT FROM notification_destinations WHERE failures > 0", []),
    ).to.deep.equal([]);
  });

  for (const [who, member] of [
    ["a stranger", PEOPLE.stranger],
    ["a submitter", PEOPLE.submitter],
    ["an operator who has just left", "U0GONE"],
  ] as const) {
    it(`decide about no call if they are pressed by ${who}`, async () => {
      const { id, thread } = await fixture.sessionInThread();
      // Not because it is not theirs.
      const owner = `slack:T0FAKE:${member}`;
      await fixture.api.servers.query("UPDATE alert_sessions SET owner_subject = $2 WHERE session_id = $1", [
        id,
        owner,
      ]);
      fixture.slack.join("U0GONE", "olga@example.com");
      await fixture.listen();
      // What is known of members is kept for a while, but not for this.
      fixture.slack.mention(CHANNEL, "U0GONE", "a note", { thread });
      await fixture.settled(1);
      fixture.slack.join("U0GONE", "olga@example.com", { deleted: true });
      const { approvalId, message } = await asked(id);
      if (message === undefined) throw new Error("no message");
      fixture.slack.press(member, message, fixture.slack.buttonOf(message, "tarsy_approve"));
      const events = await fixture.settled(2);
      expect(events.at(-1)?.state).to.equal("refused");
      expect((await approval(approvalId)).state).to.equal("awaiting_approval");
    });
  }

  it("decide about no call with other arguments than the message shows", async () => {
    const { id } = await fixture.sessionInThread();
    await fixture.listen();
    const { approvalId, message } = await asked(id);
    if (message === undefined) throw new Error("no message");
    for (const value of [`${approvalId}|ffffffffffffffff`, `${approvalId}|`, approvalId, "x|y"]) {
      fixture.slack.press(PEOPLE.operator, message, { action_id: "tarsy_approve", value });
    }
    const events = await fixture.settled(4);
    expect(events.map(({ state }) => state)).to.deep.equal(Array(4).fill("refused"));
    expect((await approval(approvalId)).state).to.equal("awaiting_approval");
  });

  it("park and resume, and the message about the session follows its rows until it has the end", async () => {
    await fixture.listen();
    await fixture.listen();
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "look");
    await fixture.settled(1);
    const [row] = await fixture.api.servers.query("SELECT session_id::text AS id FROM alert_sessions", []);
    const { id } = parseId(row);
    await fixture.begin(id);
    await until("there is a message", () => fixture.slack.posted().length === 1);
    const message = () => fixture.slack.posted()[0];
    await until("it can be parked", () => JSON.stringify(message()?.blocks).includes("tarsy_park"));
    const shown = message();
    if (shown === undefined) throw new Error("no message");
    fixture.slack.press(PEOPLE.submitter, shown, fixture.slack.buttonOf(shown, "tarsy_park"));
    await until("it shows that", () => message()?.text === "Parked (test)");
    fixture.slack.press(PEOPLE.submitter, shown, fixture.slack.buttonOf(message(), "tarsy_resume"));
    await until("it goes on", () => message()?.text !== "Parked (test)");
    await fixture.end(id);
    await until("it has the end", () => message()?.text === "Analysis Complete (test)");
    expect(fixture.slack.posted()).to.have.length(1);
    const writes = fixture.slack.calls.filter(
      ({ method, channel }) => method.startsWith("chat.") && channel === OPEN_CHANNEL,
    );
    const gaps = writes.slice(1).map(({ atMs }, n) => atMs - (writes[n]?.atMs ?? 0));
    expect(gaps.filter((gap) => gap < 950)).to.deep.equal([]);
  });

  it("wait as long as Slack says before the next edit in the channel", async () => {
    await fixture.listen();
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "look");
    await fixture.settled(1);
    const [row] = await fixture.api.servers.query("SELECT session_id::text AS id FROM alert_sessions", []);
    const { id } = parseId(row);
    fixture.slack.disturbMethod("chat.update", {
      kind: "status",
      status: 429,
      headers: { "retry-after": "5" },
    });
    await fixture.begin(id);
    const edits = () => fixture.slack.calls.filter(({ method }) => method === "chat.update");
    await until("it was edited", () => edits().length === 2);
    const [first, second] = edits();
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).to.be.at.least(4_950);
    await until("it can be parked", () =>
      JSON.stringify(fixture.slack.posted()[0]?.blocks).includes("tarsy_park"),
    );
  });

  it("have the end in a new message if the first one is gone", async () => {
    await fixture.listen();
    fixture.slack.mention(OPEN_CHANNEL, PEOPLE.submitter, "look");
    await fixture.settled(1);
    const [row] = await fixture.api.servers.query("SELECT session_id::text AS id FROM alert_sessions", []);
    const { id } = parseId(row);
    await fixture.begin(id);
    await until("there is a message", () => fixture.slack.posted().length === 1);
    const index = fixture.slack.messages.findIndex(({ metadata }) => metadata !== undefined);
    fixture.slack.messages.splice(index, 1);
    await fixture.end(id);
    await until("there is a new one", () => fixture.slack.posted()[0]?.text === "Analysis Complete (test)");
  });
});

const parseId = compileParser("session", Type.Object({ id: Type.String() }));
