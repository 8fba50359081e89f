import { expect } from "chai";
import { changeConfig } from "../../../test/support/change-config.ts";
import { until } from "../../../test/support/until.ts";
import { ask, cancelFollowUp, type Asked } from "./follow-up-fixture.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { callStep } from "./scripted-turns.ts";

/** Only prompts of a chat have it. */
const CHAT = "CURRENT TASK";
const INVESTIGATION = { steps: [{ text: "it was the memory" }] };
const HANG = "Will you hang?";

/** What no follow-up changes of its session. */
const UNCHANGED =
  "status, started_at, completed_at, final_analysis, executive_summary, review_status, pod_id, degraded";

describe("a follow-up", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["second"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  beforeEach(() =>
    fixture.play(
      { when: { contains: `**Question:** ${HANG}` }, steps: [{ text: "Let me think" }, { hang: true }] },
      {
        when: { contains: [CHAT, "with tools"], call: 1 },
        steps: [{ thinking: "look" }, callStep("native-thinking", "k8s.pods", { n: 1 })],
      },
      { when: { contains: CHAT }, steps: [{ text: "the answer" }] },
      INVESTIGATION,
    ),
  );

  /** A session that has completed. */
  const ended = async (): Promise<string> => {
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };

  const followUp = async ({ followUpId }: Asked): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      `SELECT f.status::text, f.error_code, g.status::text AS stage, e.status::text AS execution
       FROM follow_ups f JOIN stages g USING (stage_id) JOIN agent_executions e USING (stage_id) WHERE follow_up_id = $1`,
      [followUpId],
    );
    return row;
  };
  const all = (status: string, error_code: string | null = null) => ({
    status,
    error_code,
    stage: status,
    execution: status,
  });
  const answers = (id: string) =>
    fixture.executor.query(
      `SELECT event_type::text, t.status::text, content FROM timeline_events t JOIN stages USING (stage_id)
       WHERE t.session_id = $1 AND stage_type = 'chat' ORDER BY stage_index, sequence_number`,
      [id],
    );

  it("runs on a session that has ended, and changes nothing of it", async () => {
    const id = await ended();
    const before = await fixture.executor.row("alert_sessions", UNCHANGED, id);
    expect(await fixture.executor.tryClaim(id)).to.equal("over");
    const asked = await ask(fixture.executor, id);
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("completed"));
    expect(await answers(id)).to.deep.equal([
      { event_type: "user_question", status: "completed", content: "What happened?" },
      { event_type: "llm_response", status: "completed", content: "the answer" },
      { event_type: "final_analysis", status: "completed", content: "the answer" },
    ]);
    expect(await fixture.executor.row("alert_sessions", UNCHANGED, id)).to.deep.equal(before);
    expect(await fixture.executor.tryClaim(id)).to.equal("over");
    const log = await fixture.eventLog(id);
    const end = log.findIndex((row) => JSON.stringify(row).includes("session.completed"));
    expect(
      log
        .slice(end + 1)
        .map((row) => JSON.stringify(row))
        .join(" "),
    ).to.not.include("session.");
    expect(JSON.stringify(log)).to.not.include("HOLE");
  });

  it("that is cancelled in mid-stream ends alone, within a second of the message, and the next one is answered", async () => {
    const id = await ended();
    const hanging = await ask(fixture.executor, id, { question: HANG });
    const other = await ask(fixture.executor, id, { kind: "score" });
    const run = await fixture.begin(id);
    await until("the answer streams and the other one is over", async () => {
      const isStreaming = (await answers(id)).some((row) => JSON.stringify(row).includes("streaming"));
      return isStreaming && JSON.stringify(await followUp(other)) === JSON.stringify(all("completed"));
    });
    await cancelFollowUp(fixture.executor, id, hanging);
    expect(await run.end).to.equal("followed-up");
    expect(await followUp(hanging)).to.deep.equal(all("cancelled", "user"));
    expect(await fixture.executor.row("alert_sessions", "status", id)).to.deep.equal({ status: "completed" });
    const next = await ask(fixture.executor, id);
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(next)).to.deep.equal(all("completed"));
  });

  it("whose cancel is recorded without a message is refused its next write", async () => {
    const id = await ended();
    const asked = await ask(fixture.executor, id, { question: "Look again with tools.", servers: ["k8s"] });
    const called = await fixture.tools.calls();
    await cancelFollowUp(fixture.executor, id, asked, { isMessageLost: true });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("cancelled", "user"));
    expect(await fixture.tools.calls()).to.equal(called);
  });

  it("has a deadline of its own, and is marked as timed out", async () => {
    const id = await ended();
    const asked = await ask(fixture.executor, id, { question: HANG, sessionTimeoutMs: 500 });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("timed_out", "session_deadline"));
  });

  it("that was tried too often fails with code poison, and the next one is answered", async () => {
    const id = await ended();
    const poisoned = await ask(fixture.executor, id);
    await fixture.executor.query("UPDATE session_runtime SET attempts = 5 WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(poisoned)).to.deep.equal(all("failed", "poison"));
    const next = await ask(fixture.executor, id);
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(next)).to.deep.equal(all("completed"));
  });

  it("is answered by the next provider if the first one refuses", async () => {
    const id = await ended();
    const refuses = { error: { code: "credentials", message: "no such key", retryable: false } };
    await fixture.play({ steps: [refuses] });
    await fixture.playOn("second", { steps: [{ text: "the second answer" }] });
    const asked = await ask(fixture.executor, id, { fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("completed"));
    expect(await answers(id)).to.deep.include.members([
      {
        event_type: "provider_fallback",
        status: "completed",
        content: "scripted (scripted-test) is replaced by second (second-test): no such key",
      },
      { event_type: "final_analysis", status: "completed", content: "the second answer" },
    ]);
    const [execution] = await fixture.executor.query(
      "SELECT llm_provider, original_llm_provider FROM agent_executions WHERE execution_id = $1",
      [asked.executionId],
    );
    expect(execution).to.deep.equal({ llm_provider: "second", original_llm_provider: "scripted" });
  });

  it("whose configuration cannot be read fails alone", async () => {
    const id = await ended();
    const broken = await ask(fixture.executor, id);
    await changeConfig(fixture.executor, broken.followUpId, `'{"version": 1}'::jsonb`, {
      of: "follow_ups.follow_up_id",
    });
    const other = await ask(fixture.executor, id, { kind: "score" });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(broken)).to.deep.equal(all("failed", "malformed"));
    expect(await followUp(other)).to.deep.equal(all("completed"));
  });

  it("needs nothing of the session's own configuration, which may be of another version", async () => {
    const id = await ended();
    await changeConfig(fixture.executor, id, `'{"version": 99}'::jsonb`);
    const asked = await ask(fixture.executor, id);
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("completed"));
  });

  it("that is asked while another one runs is taken up by the owner, at whichever moment it is asked", async () => {
    for (let n = 0; n < 12; n += 1) {
      const id = await ended();
      const first = await ask(fixture.executor, id);
      const seen = (await fixture.executor.events(id)).length;
      const run = await fixture.begin(id);
      let isOver = false;
      void run.end.then(() => (isOver = true));
      // At another event each time, and at last when it is over.
      await until(
        "so many events",
        async () => isOver || (await fixture.executor.events(id)).length >= seen + n,
      );
      const second = await ask(fixture.executor, id, { kind: "score" });
      expect(await run.end).to.equal("followed-up");
      expect(await followUp(first)).to.deep.equal(all("completed"));
      // Asked after the owner gave the lease back, it is free to be claimed.
      if (JSON.stringify(await followUp(second)) !== JSON.stringify(all("completed"))) {
        expect(await fixture.run(id), `asked at ${n}`).to.equal("followed-up");
      }
      expect(await followUp(second), `asked at ${n}`).to.deep.equal(all("completed"));
    }
  });

  it("goes on with another executor after SIGTERM", async () => {
    const id = await ended();
    const asked = await ask(fixture.executor, id, { question: HANG });
    const run = await fixture.begin(id);
    await until("the answer streams", async () =>
      (await answers(id)).some((row) => JSON.stringify(row).includes("streaming")),
    );
    run.abort.abort(new Error("unused"));
    run.stop.abort();
    fixture.stop(id, "shutdown");
    expect(await run.end).to.equal("released");
    await fixture.play({ when: { contains: CHAT }, steps: [{ text: "the answer" }] });
    expect(await fixture.run(id)).to.equal("followed-up");
    expect(await followUp(asked)).to.deep.equal(all("completed"));
  });
});
