import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { addApiKey } from "#shared/access/api-keys.ts";
import type { Role } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const ENV = { APPROVAL_TOKEN: TOKEN };
const CREDENTIAL = { authorization: `Bearer ${TOKEN}` };

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));

describe("approvals of tool calls", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: ENV });
    await until(
      "the api is connected to the bus",
      async () => (await api.deps.dispatcher.queued()).size >= 0,
    );
    await api.deps.dispatcher.startSweep().finish();
  });
  after(() => api[Symbol.asyncDispose]());

  /** A question of a session that waits for its decision. */
  const ask = async (on = api, headers: Record<string, string> = {}) => {
    const submitted = await on.raw("POST", "/api/v1/alerts", {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from('{"data":"x"}'),
    });
    const id = String(parseObject(JSON.parse(submitted.text))["session_id"]);
    const [approval, execution] = [randomUUID(), randomUUID()];
    await on.servers.query("UPDATE alert_sessions SET status = 'in_progress' WHERE session_id = $1", [id]);
    await on.servers.query(
      `UPDATE session_runtime SET not_before = now() + interval '1 h', waiting_since = now(),
         waiting_for = '{"kind":"approval","reason":"a person must agree","since":"2026-01-01T00:00:00.000Z",
           "until":"2026-01-01T00:01:00.000Z","pauses_deadline":true}' WHERE session_id = $1`,
      [id],
    );
    await on.servers.query(
      `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
       VALUES ($1, $2, $3, $4, 'k8s.remove', '{"pod":"a"}', 'h', 'awaiting_approval', now() + interval '1 h')`,
      [approval, id, execution, randomUUID()],
    );
    return { id, approval, execution };
  };
  const decide = async (
    { id, approval }: { id: string; approval: string },
    body: unknown,
    headers: Record<string, string> = CREDENTIAL,
    on = api,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const { status, text } = await on.raw("POST", `/api/v1/sessions/${id}/approvals/${approval}`, {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    return { status, body: parseObject(JSON.parse(text)) };
  };
  const audited = async (id: string) =>
    api.servers.query(
      `SELECT action, result, via, detail->>'decision' AS decision, detail->>'tool' AS tool FROM audit_log
       WHERE session_id = $1 AND action = 'approval.decide' ORDER BY at`,
      [id],
    );

  it("are listed, and the open ones are part of the session", async () => {
    const question = await ask();
    const { body: listed } = await api.client.request("GET", `/api/v1/sessions/${question.id}/approvals`);
    expect(listed).to.have.property("approvals").with.length(1);
    expect(JSON.stringify(listed)).to.include('"arguments":"{\\"pod\\":\\"a\\"}"').and.not.include("hash");
    const session = await api.client.session(question.id);
    expect(session).to.have.nested.property("approvals[0].approval_id", question.approval);
    expect(session).to.have.nested.property("approvals[0].tool", "k8s.remove");
    await decide(question, { decision: "deny" });
    expect(await api.client.session(question.id))
      .to.have.property("approvals")
      .that.deep.equals([]);
  });

  it("are denied for a reason that is stored without its secrets", async () => {
    const question = await ask();
    const reason = "not with password=Hunter2Secret99 again";
    const { body } = await decide(question, { decision: "deny", reason });
    const stored = await api.servers.query(
      `SELECT reason, (SELECT json_agg(payload) FROM events WHERE session_id = $1) AS events
       FROM approvals WHERE session_id = $1`,
      [question.id],
    );
    const text = JSON.stringify([body, stored]);
    expect(text).to.match(/not with password=\[MASKED_PASSWORD:[0-9a-f]{6}\] again/u);
    expect(text).not.to.include("Hunter2Secret99");
  });

  it("are decided with an event, an entry of the audit log, and a wake-up of the session", async () => {
    const question = await ask();
    const queued = async () => (await api.deps.dispatcher.queued()).has(question.id);
    const { status, body } = await decide(
      question,
      { decision: "approve", reason: "it is the staging cluster" },
      { ...CREDENTIAL, "x-forwarded-user": "jane" },
    );
    expect(status).to.equal(200);
    expect(body).to.include({
      approval_id: question.approval,
      state: "approved",
      decided_by: "loopback:jane",
      reason: "it is the staging cluster",
    });
    expect(body).to.have.property("decided_at");
    const [runtime] = await api.servers.query(
      "SELECT not_before, inbox_seq FROM session_runtime WHERE session_id = $1",
      [question.id],
    );
    expect(runtime).to.deep.equal({ not_before: null, inbox_seq: 1 });
    const events = await api.servers.query("SELECT seq, payload FROM events WHERE session_id = $1", [
      question.id,
    ]);
    expect(events).to.have.length(1);
    expect(events[0]).to.have.property("payload").that.deep.includes({
      type: "approval.decided",
      approval_id: question.approval,
      execution_id: question.execution,
      tool: "k8s.remove",
      state: "approved",
      decided_by: "loopback:jane",
    });
    await until("its wake-up is in the stream", queued);
    const entries = await until("the audit log has it", async () => {
      const rows = await audited(question.id);
      return rows.length > 0 ? rows : undefined;
    });
    expect(entries).to.deep.equal([
      {
        action: "approval.decide",
        result: "allowed",
        via: "loopback",
        decision: "approved",
        tool: "k8s.remove",
      },
    ]);
  });

  it("need the launcher's token although everything else on this machine does not", async () => {
    const question = await ask();
    for (const headers of [{}, { authorization: "Bearer wrong" }, { "x-forwarded-user": "root" }]) {
      const { status, body } = await decide(question, { decision: "approve" }, headers);
      expect(status).to.equal(401);
      expect(body).to.have.property("message").that.includes(".tarsy/token");
    }
    await using open = await ApiFixture.start({ servers: api.servers });
    expect(await decide(question, { decision: "approve" }, CREDENTIAL, open)).to.have.property("status", 403);
    const [row] = await api.servers.query("SELECT state FROM approvals WHERE approval_id = $1", [
      question.approval,
    ]);
    expect(row).to.deep.equal({ state: "awaiting_approval" });
    await until("the audit log has the refusals", async () => {
      const [refusals] = await api.servers.query(
        "SELECT count(*) > 3 AS all FROM audit_log WHERE action = 'approval.decide' AND result = 'refused'",
        [],
      );
      return JSON.stringify(refusals) === '{"all":true}';
    });
  });

  it("are decided once: of many deciders at the same time one wins, the others get 409", async () => {
    const question = await ask();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, n) =>
        decide(question, { decision: n % 2 === 0 ? "approve" : "deny" }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 7 }, () => 409)]);
    const won = answers.find(({ status }) => status === 200)?.body["state"];
    const [row] = await api.servers.query("SELECT state FROM approvals WHERE approval_id = $1", [
      question.approval,
    ]);
    expect(row).to.deep.equal({ state: won });
    const body = answers.find(({ status }) => status === 409)?.body;
    expect(body).to.have.property(
      "message",
      `this call has already been decided: it is ${String(won)} by loopback`,
    );
    const events = await api.servers.query("SELECT seq FROM events WHERE session_id = $1", [question.id]);
    expect(events).to.have.length(1);
  });

  it("are refused with 400, 404, 409 or 413 and the reason", async () => {
    const question = await ask();
    const message = async (body: unknown, of: { id: string; approval: string } = question) => {
      const answer = await decide(of, body);
      return `${answer.status} ${String(answer.body["message"])}`;
    };
    expect(await message({})).to.equal("400 validation error on field 'decision': is required");
    expect(await message({ decision: "yes" })).to.include("must be approve or deny, got 'yes'");
    expect(await message({ decision: true })).to.include("must be approve or deny, got boolean");
    expect(await message([])).to.include("400 request body must be a JSON object");
    expect(await message({ decision: "deny", reason: 5 })).to.include("'reason': must be a string");
    expect(await message({ decision: "deny", reason: "x".repeat(2_001) })).to.include(
      "at most 2000 characters",
    );
    expect(await message({ decision: "deny", x: "x".repeat(70_000) })).to.include("413");
    expect(await message({ decision: "deny" }, { ...question, approval: randomUUID() })).to.include("404");
    expect(await message({ decision: "deny" }, { ...question, approval: "5" })).to.include(
      "'approval_id': must be a UUID",
    );
    const other = await ask();
    expect(await message({ decision: "deny" }, { ...question, approval: other.approval })).to.include("404");
    await api.servers.query("UPDATE approvals SET expires_at = now() WHERE session_id = $1", [question.id]);
    expect(await message({ decision: "approve" })).to.equal("409 the time to decide about this call is over");
    for (const [status, why] of [
      ["cancelling", "409 the session is being cancelled"],
      ["failed", "409 the session is over: it is failed"],
    ]) {
      await api.servers.query(
        "UPDATE alert_sessions SET status = $2::session_status, completed_at = CASE WHEN $2 = 'failed' THEN now() END WHERE session_id = $1",
        [other.id, status],
      );
      expect(await message({ decision: "approve" }, other)).to.equal(why);
    }
    const [runtime] = await api.servers.query("SELECT inbox_seq FROM session_runtime WHERE session_id = $1", [
      other.id,
    ]);
    expect(runtime).to.deep.equal({ inbox_seq: 0 });
  });

  it("are decided by operators, who are recorded, where callers are identified", async () => {
    await using keys = await ApiFixture.start({ env: { AUTH_MODE: "token" }, servers: api.servers });
    const key = async (subject: string, role: Role) => ({
      authorization: `Bearer ${(await addApiKey(keys.db, { subject, roles: [role], teams: [], expiresInDays: 1 })).text}`,
    });
    const submitter = await key("alertmanager", "submitter");
    const question = await ask(keys, submitter);
    const approve = { decision: "approve" };
    expect((await decide(question, approve, {}, keys)).status).to.equal(401);
    expect((await decide(question, approve, submitter, keys)).status).to.equal(403);
    const { status, body } = await decide(question, approve, await key("alice", "operator"), keys);
    expect([status, body["decided_by"]]).to.deep.equal([200, "key:alice"]);
    const list = `/api/v1/sessions/${question.id}/approvals`;
    expect((await keys.raw("GET", list, { headers: submitter })).status).to.equal(200);
    expect((await keys.raw("GET", list, { headers: await key("bob", "submitter") })).status).to.equal(404);
  });
});
