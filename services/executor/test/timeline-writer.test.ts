import { expect } from "chai";
import { CancelledError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { nextSessionStep } from "../next-session-step.ts";
import { commitStep } from "../persist/commit-step.ts";
import { startStage } from "../persist/stage-rows.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { TimelineWriter } from "../persist/timeline-writer.ts";
import { loadSession } from "../state/session-state.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

const END = { status: "completed", interactionId: null } as const;

describe("TimelineWriter", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  /** The writer of an agent's first call in an owned session, which no one watches, and the commits by which it stores open rows. */
  async function openWriter(resources: AsyncDisposableStack, holds: { readonly atOnceMs?: number } = {}) {
    const id = await executor.insert();
    const session = resources.use(await executor.own(id));
    session.streams.look()();
    const first = nextSessionStep(await loadSession(executor.db, id));
    if (first.kind !== "start-stage") throw new Error(`the next step is ${first.kind}`);
    await commitStep(session, [startStage(id, first)]);
    const [execution] = (await loadSession(executor.db, id)).executions;
    if (execution === undefined) throw new Error("there is no agent");
    const commits: StepRecord[] = [];
    const write = async (step: StepRecord) => {
      commits.push(step);
      await commitStep(session, [step]);
    };
    const timeline = new TimelineWriter(
      { sessionId: id, execution, iteration: 1, timeline: { nextSequence: 1, open: new Map() } },
      { streams: { ...session.streams, ...holds }, commit: write },
    );
    const complete = async () => {
      await timeline.flush();
      for (const row of timeline.openRows()) timeline.complete(row, { ...END, content: row.text ?? "" });
      await commitStep(session, [timeline.record()]);
    };
    const rows = async () =>
      executor.query(
        `SELECT event_type || ' ' || status || ' ' || sequence_number || ': ' || content AS row, first_seq = seq AS at_once,
           created_at <= updated_at AS began_before
         FROM timeline_events WHERE session_id = $1 ORDER BY sequence_number`,
        [id],
      );
    return { id, session, timeline, commits, complete, rows };
  }

  const kinds = ({ events }: StepRecord) =>
    events.map((event) =>
      "type" in event && "event_type" in event ? `${event.type} ${event.event_type}` : "",
    );

  it("stores the rows of a call that ends at once together with its outcome, and sends no text", async () => {
    await using resources = new AsyncDisposableStack();
    const { id, session, timeline, commits, complete, rows } = await openWriter(resources);
    const heard = await executor.listen(id);
    void timeline.append("thinking", "hm");
    void timeline.append("answer", "the disk ");
    void timeline.append("answer", "is full");
    expect(session.streams.all()).to.deep.equal([]);
    expect(session.streams.textOf(timeline.openRows()[0]?.eventId ?? "")).to.equal(undefined);
    await complete();
    expect(commits).to.deep.equal([]);
    expect(await rows()).to.deep.equal([
      { row: "llm_thinking completed 1: hm", at_once: true, began_before: true },
      { row: "final_analysis completed 2: the disk is full", at_once: true, began_before: true },
    ]);
    expect((await executor.events(id)).slice(-4)).to.deep.equal([
      { seq: 4, type: "timeline_event.created", kind: "llm_thinking", status: "streaming" },
      { seq: 5, type: "timeline_event.created", kind: "final_analysis", status: "streaming" },
      { seq: 6, type: "timeline_event.completed", kind: "llm_thinking", status: "completed" },
      { seq: 7, type: "timeline_event.completed", kind: "final_analysis", status: "completed" },
    ]);
    await until("the last event has arrived", () => heard.some((one) => "seq" in one && one.seq === 7));
    expect(heard.some((one) => "delta" in one)).to.equal(false);
  });

  it("stores what a longer call has opened in one commit, and sends the text from then on", async () => {
    await using resources = new AsyncDisposableStack();
    const { id, timeline, commits, complete, rows } = await openWriter(resources);
    const heard = await executor.listen(id);
    const text = () => heard.flatMap((one) => ("delta" in one ? [one.delta] : [])).join("");
    void timeline.append("thinking", "hm");
    void timeline.append("answer", "the disk ");
    await until("the text has arrived", () => text().includes("hm") && text().includes("the disk "));
    expect(commits.map(kinds)).to.deep.equal([
      ["timeline_event.created llm_thinking", "timeline_event.created final_analysis"],
    ]);
    expect(await rows()).to.deep.equal([
      { row: "llm_thinking streaming 1: ", at_once: true, began_before: true },
      { row: "final_analysis streaming 2: ", at_once: true, began_before: true },
    ]);
    await timeline.append("answer", "is full");
    await complete();
    expect(commits).to.have.length(1);
    const order = heard.flatMap((one) => ("delta" in one ? ["text"] : one.seq > 3 ? [String(one.seq)] : []));
    expect(order.slice(0, 2)).to.deep.equal(["4", "5"]);
    await until("the last event has arrived", () => heard.some((one) => "seq" in one && one.seq === 7));
    expect(text()).to.satisfy((sent: string) => sent.endsWith("is full"));
    expect(await rows()).to.deep.equal([
      { row: "llm_thinking completed 1: hm", at_once: false, began_before: true },
      { row: "final_analysis completed 2: the disk is full", at_once: false, began_before: true },
    ]);
  });

  it("stores what a call has opened at once if the session is watched", async () => {
    await using resources = new AsyncDisposableStack();
    // It would be stored after an hour.
    const holds = { atOnceMs: 3_600_000 };
    const { id, session, timeline, commits } = await openWriter(resources, holds);
    await executor.listen(id);
    session.streams.look();
    void timeline.append("thinking", "hm");
    await until("the text is sent", () => session.streams.all().some((stream) => stream.text() === "hm"));
    void timeline.append("answer", "the disk is full");
    // Also where the answer ends before the bus has said so.
    await timeline.flush();
    expect(session.streams.all().map((stream) => stream.text())).to.deep.equal(["hm", "the disk is full"]);
    expect(commits.map(kinds)).to.deep.equal([
      ["timeline_event.created llm_thinking"],
      ["timeline_event.created final_analysis"],
    ]);
  });

  it("stores nothing more once the call has ended otherwise, and reports a store that failed", async () => {
    await using resources = new AsyncDisposableStack();
    const { timeline, commits, rows } = await openWriter(resources);
    void timeline.append("thinking", "hm");
    await timeline[Symbol.asyncDispose]();
    const { timeline: other, ...refused } = await openWriter(resources);
    await executor.cancel(refused.id);
    void other.append("thinking", "hm");
    await until("its row is to be stored", () => refused.commits.length === 1);
    const error: unknown = await other.flush().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(CancelledError);
    expect(commits).to.deep.equal([]);
    expect(await rows()).to.deep.equal([]);
  });

  it("dates a row that is stored later by the time when it was opened", async () => {
    await using resources = new AsyncDisposableStack();
    const { id, session, timeline } = await openWriter(resources);
    void timeline.append("thinking", "hm");
    const { rows, events } = timeline.record();
    const opened = rows.timeline?.map((row) => ({ ...row, age_ms: 60_000 })) ?? [];
    expect(rows.timeline?.[0]?.age_ms).to.be.at.least(0);
    await commitStep(session, [{ rows: { timeline: opened }, events }]);
    expect(
      await executor.query(
        `SELECT round(extract(epoch FROM seen.at - created_at)) BETWEEN 60 AND 90 AS was_dated, updated_at = created_at AS is_open
         FROM timeline_events, (SELECT clock_timestamp() AS at) seen WHERE session_id = $1`,
        [id],
      ),
    ).to.deep.equal([{ was_dated: true, is_open: true }]);
  });
});
