import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));

describe("POST /api/v1/sessions/:id/fork", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
  });
  after(() => resources.disposeAsync());

  const submit = async (): Promise<string> => api.accepted(JSON.stringify({ data: "the disk is full" }));
  const fork = async (id: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await api.raw("POST", `/api/v1/sessions/${id}/fork`, {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", ...headers },
    });
    return { ...answer, body: parseObject(JSON.parse(answer.text)) };
  };
  const message = async (id: string, body: object): Promise<string> => {
    const { status, body: answer } = await fork(id, body);
    return `${status} ${String(answer["message"])}`;
  };
  const row = async (id: string, columns: string): Promise<unknown> => api.sessionRow(columns, id);

  it("says which field is wrong, and what is allowed", async () => {
    const id = await submit();
    const call = { content: "x" };
    expect(await message(id, { at_seq: 7 })).to.match(/^400 .*'at_seq'.* from 0 to 0, .* got 7$/u);
    expect(await message(id, { at_seq: -1 })).to.match(/^400 .*'at_seq'/u);
    expect(await message(id, { at_seq: "1" })).to.match(/^400 .*'at_seq'/u);
    expect(await message(id, { tools: "none" })).to.match(/^400 .*'tools'/u);
    expect(await message(id, { changes: { max_iterations: 0 } })).to.match(
      /^400 .*'changes\.max_iterations'/u,
    );
    expect(await message(id, { changes: { custom_instructions: "{{.HOME}}" } })).to.match(
      /^400 .*'changes\.custom_instructions'.*only the configuration inserts variables$/u,
    );
    for (const model of ["a\0b", "\ud800"]) {
      expect(await message(id, { changes: { model } })).to.match(
        /^400 .*'changes\.model'.*cannot be stored$/u,
      );
    }
    expect(await message(id, { changes: { model: "" } })).to.match(
      /'changes\.model': .*1 to 200 characters$/u,
    );
    expect(await message(id, { changes: { tool_result: call } })).to.match(
      /^400 .*either call_id or interaction_id$/u,
    );
    const unknown = { tool_result: { ...call, call_id: randomUUID() } };
    expect(await message(id, { changes: unknown })).to.match(
      /^400 .*'changes\.tool_result\.call_id'.*none of the session's/u,
    );
    const { status, body } = await fork(id, { changes: { llm_provider: "nobody" } });
    expect(status).to.equal(422);
    expect(body["message"]).to.equal(
      "changes.llm_provider: there is no LLM provider 'nobody' in the configuration",
    );
    expect(body["allowed"]).to.include("scripted");
  });

  it("refuses a session whose events are gone", async () => {
    const id = await submit();
    await api.db.query("UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1", [id]);
    expect(await message(id, {})).to.match(/^409 .*have been deleted/u);
    expect(await message(randomUUID(), {})).to.match(/^404 /u);
  });

  it("stores a pending session of the caller with the changes, which notifies no one and is in no incident", async () => {
    const id = await submit();
    await api.db.query(
      `UPDATE alert_sessions SET lane = 'critical', notify = '{}', slack_message_fingerprint = 'f', teams = '{a}', degraded = true WHERE session_id = $1`,
      [id],
    );
    const { status, body } = await fork(id, {
      changes: { model: "other", max_iterations: 3 },
      tools: "recorded",
    });
    expect(status).to.equal(202);
    const forked = String(body["session_id"]);
    const columns =
      "status, lane, notify, slack_message_fingerprint, teams, tools_mode, forked_from, forked_at_seq, fork_changes, alert_data, started_at";
    expect(await row(forked, columns)).to.deep.equal({
      status: "pending",
      lane: "normal",
      notify: null,
      slack_message_fingerprint: null,
      teams: ["a"],
      tools_mode: "recorded",
      forked_from: id,
      forked_at_seq: 0,
      fork_changes: { model: "other", max_iterations: 3 },
      alert_data: "the disk is full",
      started_at: null,
    });
    const config = await row(
      forked,
      `(SELECT jsonb_build_object('model', config #> '{stages,1,agents,0,llm_provider,model}', 'most', config #> '{stages,1,agents,0,max_iterations}',
        'version', config -> 'version') FROM resolved_configs c WHERE c.config_hash = alert_sessions.config_hash) AS config`,
    );
    expect(config).to.deep.equal({ config: { model: "other", most: 3, version: 1 } });
    const parent = await api.client.request("GET", `/api/v1/sessions/${id}`);
    expect(parent.body["forks"]).to.have.length(1);
    expect(parent.body).to.deep.include({ forked_from: null, tools_mode: "live", may_fork: true });
  });

  it("has a configuration of its own, which goes with it", async () => {
    const id = await submit();
    const changes = { custom_instructions: "look at the disk of frobnicator first" };
    const { body } = await fork(id, { changes });
    const stored = async () =>
      api.servers.query(
        "SELECT s.session_id, config::text LIKE '%frobnicator%' AS has_text FROM resolved_configs c LEFT JOIN alert_sessions s USING (config_hash) WHERE s.session_id = ANY($1) OR config::text LIKE '%frobnicator%' ORDER BY 2",
        [[id, body["session_id"]]],
      );
    const own = { session_id: id, has_text: false };
    expect(await stored()).to.deep.equal([own, { session_id: body["session_id"], has_text: true }]);
    await api.servers.query("DELETE FROM alert_sessions WHERE session_id = $1", [body["session_id"]]);
    expect(await stored()).to.deep.equal([own]);
  });

  it("is one fork for each idempotency key, however many requests come at once", async () => {
    const id = await submit();
    const headers = { "idempotency-key": randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, async () => fork(id, {}, headers)));
    expect(
      new Set(answers.map(({ status, body }) => `${status} ${String(body["session_id"])}`)),
    ).to.have.property("size", 1);
    expect(answers.filter((answer) => answer.headers.get("idempotent-replayed") === null)).to.have.length(1);
    const other = await fork(id, { changes: { model: "x" } }, headers);
    expect(other.status).to.equal(422);
  });

  it("stays readable, with its parent's id, when the parent is deleted", async () => {
    const id = await submit();
    const forked = String((await fork(id, {})).body["session_id"]);
    await api.db.query("DELETE FROM alert_sessions WHERE session_id = $1", [id]);
    const { status, body } = await api.client.request("GET", `/api/v1/sessions/${forked}`);
    expect(status).to.equal(200);
    expect(body["forked_from"]).to.deep.equal({ session_id: id, at_seq: 0, tools: "recorded", changes: {} });
  });
});

describe("who may fork a session", () => {
  it("is everyone who sees it and may submit; others do not see the fork, and it is in the audit log", async () => {
    await using api = await ApiFixture.start({ env: KEY_ACCESS });
    const key = async (...of: Parameters<ApiFixture["keyOf"]>) => ({
      ...(await api.keyOf(...of)),
      "content-type": "application/json",
    });
    const [ann, olga] = [await key("ann", ["submitter"]), await key("olga", ["operator"])];
    const answer = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from('{"data":"x"}'),
      headers: ann,
    });
    const id = String(parseObject(JSON.parse(answer.text))["session_id"]);
    const fork = async (headers: Record<string, string>) =>
      api.raw("POST", `/api/v1/sessions/${id}/fork`, { body: Buffer.from("{}"), headers });
    expect((await fork(await key("vic", ["viewer"]))).status).to.equal(403);
    expect((await fork(await key("eve", ["submitter"]))).status).to.equal(404);
    const forked = parseObject(JSON.parse((await fork(olga)).text));
    const forksFor = async (headers: Record<string, string>): Promise<unknown> => {
      const { text } = await api.raw("GET", `/api/v1/sessions/${id}`, { headers });
      return parseObject(JSON.parse(text))["forks"];
    };
    expect(await forksFor(olga)).to.have.length(1);
    // It belongs to the operator, and no team sees it.
    expect(await forksFor(ann)).to.deep.equal([]);
    const audited = await api.servers.query(
      "SELECT subject, detail ->> 'fork' AS fork FROM audit_log WHERE session_id = $1 AND action = 'session.fork' AND result = 'allowed'",
      [id],
    );
    expect(audited).to.deep.equal([{ subject: "olga", fork: forked["session_id"] }]);
  });
});
