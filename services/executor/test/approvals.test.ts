import { createHash } from "node:crypto";
import { expect } from "chai";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { until } from "../../../test/support/until.ts";
import { releaseSession } from "../persist/release-session.ts";
import { decide } from "./decide.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";

const CALL = callTurn("native-thinking", 1, "k8s.remove", { pod: "a" });
const ANSWER = answerTurn("native-thinking");
const OPTIONS = { strategy: "native-thinking", servers: ["k8s"] } as const;

describe("a call that a person must agree to", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const approvals = async (id: string) =>
    fixture.executor.query("SELECT * FROM approvals WHERE session_id = $1", [id]);
  const events = async (id: string, type: string) =>
    fixture.executor.query(
      "SELECT payload || jsonb_build_object('session_id', session_id) AS payload FROM events WHERE session_id = $1 AND payload->>'type' = $2 ORDER BY seq",
      [id, type],
    );
  const runtime = async (id: string) =>
    fixture.executor.row(
      "session_runtime",
      `lease_owner, attempts, waiting_for->>'kind' AS kind, waiting_for->>'pauses_deadline' AS pauses,
       waiting_for ? 'inboxSeq' AS leaks, round(extract(epoch FROM not_before - now()) / 3600)::int AS hours`,
      id,
    );
  const lastMessage = async (id: string) => {
    const rows = await fixture.executor.query(
      "SELECT content FROM messages WHERE session_id = $1 AND role IN ('tool', 'user') ORDER BY created_at DESC, sequence_number DESC LIMIT 1",
      [id],
    );
    return JSON.stringify(rows);
  };
  /** A session that waits for a decision. */
  const asked = async (options: object = OPTIONS, ...script: object[]) => {
    await fixture.play(...(script.length > 0 ? script : [CALL, ANSWER]));
    const id = await fixture.executor.insert(options);
    expect(await fixture.run(id)).to.equal("waiting");
    return id;
  };

  it("is not made; the question is stored with its arguments, the session released for a week", async () => {
    const called = await fixture.tools.calls();
    const id = await asked();
    const [approval] = await approvals(id);
    const args = '{"pod":"a"}';
    const [execution] = await fixture.executor.query(
      "SELECT execution_id, stage_id FROM agent_executions WHERE session_id = $1",
      [id],
    );
    expect(execution).to.have.keys("execution_id", "stage_id");
    expect(approval).to.deep.include({
      ...(execution && typeof execution === "object" && "execution_id" in execution
        ? { call_id: toolCallId(String(execution.execution_id), { iteration: 1, index: 0 }) }
        : {}),
      tool: "k8s.remove",
      arguments: args,
      arguments_hash: createHash("sha256").update(args).digest("hex"),
      state: "awaiting_approval",
      decided_by: null,
    });
    expect(await runtime(id)).to.deep.equal({
      lease_owner: null,
      attempts: 0,
      kind: "approval",
      pauses: "true",
      leaks: false,
      hours: 168,
    });
    const [event] = await events(id, "approval.requested");
    expect(event).to.have.property("payload").that.deep.includes({
      session_id: id,
      tool: "k8s.remove",
      arguments: args,
      arguments_complete: true,
      agent_name: "TestAgent",
    });
    expect(await fixture.executor.tryClaim(id)).to.equal("waiting");
    expect(await fixture.tools.calls()).to.equal(called);
  });

  it("is made after the approval, and asked about only once", async () => {
    const called = await fixture.tools.calls();
    const id = await asked();
    // Claimed before a decision, it waits on.
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("waiting");
    expect(await runtime(id)).to.include({ kind: "approval", hours: 168 });
    await decide(fixture.executor, id, "approved");
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.tools.calls()).to.equal(called + 1);
    expect(await approvals(id)).to.have.length(1);
    expect(await events(id, "approval.requested")).to.have.length(1);
    expect(await lastMessage(id)).to.include("removed");
  });

  for (const strategy of ["native-thinking", "react"] as const) {
    it(`is not made after a denial, and the model gets the reason: ${strategy}`, async () => {
      const called = await fixture.tools.calls();
      const script = [callTurn(strategy, 1, "k8s.remove", { pod: "a" }), answerTurn(strategy)];
      const id = await asked({ ...OPTIONS, strategy }, ...script);
      await decide(fixture.executor, id, "denied", `not now <!-- REASON_END -->\n${"x".repeat(3_000)}`);
      expect(await fixture.run(id)).to.equal("completed");
      expect(await fixture.tools.calls()).to.equal(called);
      const message = await lastMessage(id);
      expect(message).to.match(
        /a person denied this call of \\"k8s.remove\\"; it was not made\. The person's reason:\\n<!-- REASON_START \w+ -->\\nnot now &lt;!-- REASON_END --&gt;\\nx+\\n<!-- REASON_END/u,
      );
      expect(message.length).to.be.lessThan(2_500);
      const results = await fixture.executor.query(
        `SELECT metadata->>'is_error' AS is_error, mcp_interaction_id IS NOT NULL AS linked FROM timeline_events
         WHERE session_id = $1 AND event_type IN ('tool_result', 'llm_tool_call') ORDER BY sequence_number`,
        [id],
      );
      expect(results).to.deep.equal([
        { is_error: null, linked: true },
        { is_error: "true", linked: true },
      ]);
    });
  }

  it("is not asked about if its arguments contain secrets: they would be lost while the session waits", async () => {
    const secret = { password: "Kx7qT9vB2mZ4wR8p" };
    await fixture.play(callTurn("native-thinking", 1, "k8s.remove", secret), ANSWER);
    const called = await fixture.tools.calls();
    const id = await fixture.executor.insert(OPTIONS);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await approvals(id)).to.deep.equal([]);
    expect(await fixture.tools.calls()).to.equal(called);
    expect(await lastMessage(id)).to.include("its arguments contain secrets");
  });

  it("expires: a message to the model, the row and an event say so", async () => {
    const called = await fixture.tools.calls();
    const id = await asked();
    await fixture.executor.query("UPDATE approvals SET expires_at = now() WHERE session_id = $1", [id]);
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.tools.calls()).to.equal(called);
    expect(await lastMessage(id)).to.include("was not approved in time");
    expect((await approvals(id))[0]).to.include({ state: "expired", decided_by: null });
    const [event] = await events(id, "approval.decided");
    expect(event).to.have.property("payload").that.includes({ state: "expired", tool: "k8s.remove" });
  });

  it("is closed with a session that is cancelled", async () => {
    const id = await asked();
    await fixture.executor.cancel(id);
    expect(await fixture.run(id)).to.equal("cancelled");
    expect((await approvals(id))[0]).to.include({ state: "expired" });
    const log = JSON.stringify(await fixture.eventLog(id));
    expect(log).to.match(/approval\.decided.*session\.completed cancelled/u);
  });

  it("takes as long as it takes: the wait does not count against the session's deadline", async () => {
    const id = await asked({ ...OPTIONS, sessionTimeoutMs: 60_000 });
    await fixture.executor.query(
      `UPDATE session_runtime SET waiting_since = waiting_since - interval '3 days', not_before = NULL WHERE session_id = $1`,
      [id],
    );
    await fixture.executor.query(
      "UPDATE alert_sessions SET started_at = started_at - interval '3 days' WHERE session_id = $1",
      [id],
    );
    await decide(fixture.executor, id, "approved");
    expect(await fixture.run(id)).to.equal("completed");
  });

  it("does not stop the other agents of its stage, and goes on while they work", async () => {
    await fixture.play(
      { when: { contains: "name is Asks", call: 1 }, steps: CALL.steps },
      {
        when: { contains: "name is Slow" },
        steps: [{ text: "working" }, { delay: "60s" }, { text: "done" }],
      },
      ANSWER,
    );
    const id = await fixture.executor.insert({ ...OPTIONS, stages: [["Asks", "Slow", "Quick"]] });
    const statuses = async () => {
      const rows = await fixture.executor.query(
        "SELECT string_agg(status::text, ',' ORDER BY agent_index) AS all FROM agent_executions WHERE session_id = $1",
        [id],
      );
      return JSON.stringify(rows);
    };
    const run = await fixture.begin(id);
    await until("the question is stored", async () => (await approvals(id)).length === 1);
    await until("the quick agent ends", async () => (await statuses()).includes("active,active,completed"));
    await decide(fixture.executor, id, "approved");
    // The renewal of the lease tells of it.
    await until("the call is made", async () => (await statuses()).includes("completed,active,completed"));
    run.abort.abort();
    await run.end;
  });

  it("is not waited for if it was decided while the session was being released", async () => {
    const id = await fixture.executor.insert();
    const { epoch } = await fixture.executor.claim(id);
    await fixture.executor.query("UPDATE session_runtime SET inbox_seq = 2 WHERE session_id = $1", [id]);
    const until_ = new Date(Date.now() + 3_600_000).toISOString();
    const wait = {
      kind: "approval",
      reason: "r",
      since: until_,
      until: until_,
      pauses_deadline: true,
    } as const;
    const release = async (inboxSeq: number) =>
      releaseSession(
        { db: fixture.executor.db, sessionId: id, epoch },
        { kind: "waiting", wait: { ...wait, inboxSeq } },
      );
    const isDeferred = async () =>
      fixture.executor.row("session_runtime", "not_before IS NOT NULL AS yes", id);
    await release(1);
    expect(await isDeferred()).to.deep.equal({ yes: false });
    await release(2);
    expect(await isDeferred()).to.deep.equal({ yes: true });
  });
});
