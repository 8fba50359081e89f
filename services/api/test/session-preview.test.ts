import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import { SessionListResponse } from "../sessions/list-schemas.ts";
import { indexSessions } from "../sweeper/index-sessions.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseList = compileParser("list", SessionListResponse);

describe("what a list tells of a session's alert and questions", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
  });

  const list = async (query = "") =>
    parseList(JSON.parse((await api.raw("GET", `/api/v1/sessions${query}`)).text)).sessions;

  it("tells an alert by its title, and reads only the beginning of a large one", async () => {
    const large = JSON.stringify({ alerts: [{ summary: "Pods restart", log: "é".repeat(500_000) }] });
    await seedSession(api.db, { alert: large, age: 1 });
    await seedSession(api.db, { alert: "\nDisk of worker-3 is full\nmore", age: 2 });
    await seedSession(api.db, { alert: "💾".repeat(5_000), age: 3 });
    const previews = (await list()).map(({ alert_preview }) => alert_preview);
    expect(previews.slice(0, 2)).to.deep.equal(["Pods restart", "Disk of worker-3 is full"]);
    expect(previews[2]?.length).to.be.within(190, 200);
  });

  it("says where a session that runs is in its chain, as its events do", async () => {
    const id = await seedSession(api.db, { status: "in_progress" });
    const set = async (columns: string) =>
      api.servers.query(`UPDATE alert_sessions SET ${columns} WHERE session_id = $1`, [id]);
    expect((await list())[0]).not.to.have.property("stage_text");
    await set("current_stage_index = 2");
    const stages = `'{"stages": [null, {"name": "look", "synthesis": {}}, {"name": "act"}]}'::jsonb`;
    await changeConfig(api.servers, id, stages);
    // The contract counts the synthesis and the summary, too.
    expect((await list())[0]).to.include({ total_stages: 4, stage_text: "Stage 2 of 2 (act)" });
    await api.servers.query("UPDATE session_runtime SET has_summary_stage = true WHERE session_id = $1", [
      id,
    ]);
    expect((await list())[0]).to.include({ stage_text: "Writing the executive summary" });
    await set("status = 'completed', completed_at = now()");
    expect((await list())[0]).not.to.have.property("stage_text");
  });

  it("has the labels of the alert that its chain names, else how bad it is and where", async () => {
    const labels = { severity: "critical", namespace: "shop", team: "core" };
    const alert = JSON.stringify({ alerts: [{ labels }] });
    await seedSession(api.db, { alert, age: 1 });
    await seedSession(api.db, { alert: "Disk full", age: 2 });
    await using named = await ApiFixture.start({
      servers: api.servers,
      config: {
        tarsy: {
          agent_chains: {
            "test-chain": {
              alert_types: ["test"],
              row_labels: ["team"],
              stages: [{ name: "a", agents: [{ name: "KubernetesAgent" }] }],
            },
          },
        },
      },
    });
    const shown = async (from: ApiFixture) =>
      parseList(JSON.parse((await from.raw("GET", "/api/v1/sessions")).text)).sessions.map((one) =>
        one.labels.map(({ value }) => value),
      );
    expect(await shown(api)).to.deep.equal([["critical", "shop"], []]);
    expect(await shown(named)).to.deep.equal([["core"], []]);
  });

  it("says where the term stands, in one bounded line of what was found", async () => {
    const long = `${"x".repeat(5_000)}\nthe queue of payments grows\n${"y".repeat(5_000)}`;
    const alert = await seedSession(api.db, { age: 3, alert: long });
    const both = await seedSession(api.db, {
      age: 2,
      alert: "payments",
      analysis: "Cause:\nPayments were retried.\nEnd",
    });
    const timeline = await seedSession(api.db, {
      age: 1,
      timeline: ["calm", `${"z".repeat(500)} payment evicted ${"z".repeat(500)}`],
    });
    await indexSessions(api.deps.db, new AbortController().signal);
    const excerpts = new Map((await list("?search=Payments")).map(({ id, excerpt }) => [id, excerpt]));
    expect(excerpts.get(alert)).to.deep.equal({
      before: "the queue of ",
      match: "payments",
      after: " grows",
    });
    expect(excerpts.get(both)).to.deep.equal({ before: "", match: "Payments", after: " were retried." });
    const { before = "", match, after = "" } = excerpts.get(timeline) ?? {};
    expect([before.length, match, after.length]).to.deep.equal([91, "payment", 9]);
    expect((await list("?search=evicting"))[0]?.excerpt?.match).to.equal("evicted");
  });

  it("cuts what was found between words, and leaves out the signs of JSON", async () => {
    const words = "one of many words ".repeat(20);
    const alert = JSON.stringify({
      status: "firing",
      labels: { alertname: 'the "cart" of wombats', url: "http://a/b" },
      n: 1,
    });
    const inText = await seedSession(api.db, { age: 2, analysis: `${words}wombats ${words}` });
    const inJson = await seedSession(api.db, { age: 1, alert });
    await indexSessions(api.deps.db, new AbortController().signal);
    const excerpts = new Map((await list("?search=wombats")).map(({ id, excerpt }) => [id, excerpt]));
    expect(excerpts.get(inText)?.before)
      .to.match(/^…(one|of|many|words) /u)
      .and.to.match(/ words $/u);
    expect(excerpts.get(inText)?.after).to.match(/^ one of .* (one|of|many|words)…$/u);
    expect(excerpts.get(inJson)).to.deep.equal({
      before: 'status: firing, labels: alertname: the "cart" of ',
      match: "wombats",
      after: ", url: http://a/b, n: 1",
    });
  });

  it("counts the open questions of a session that runs", async () => {
    const running = await seedSession(api.db, { status: "in_progress", duration: null, age: 1 });
    const ended = await seedSession(api.db, { age: 2 });
    for (const [id, state] of [
      [running, "awaiting_approval"],
      [running, "awaiting_approval"],
      [running, "denied"],
      [ended, "awaiting_approval"],
    ]) {
      await api.servers.query(
        `INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'k8s.remove', '{}', 'h', $2, now())`,
        [id, state],
      );
    }
    const sessions = await list();
    expect(sessions.map(({ open_approvals }) => open_approvals)).to.deep.equal([2, 0]);
  });

  it("says of which session the provider keeps failing, and of none that has just been refused once", async () => {
    const until = new Date(Date.now() + 600_000).toISOString();
    const waiting = (seconds: number, end = until) => ({
      unfinished_step: {
        waiting: {
          kind: "provider",
          reason: `local is away: ${"x".repeat(400)}`,
          since: new Date(Date.now() - seconds * 1_000).toISOString(),
          until: end,
        },
      },
    });
    const states = [
      { consecutive_failures: 22, last_error: "HTTP 500" },
      { consecutive_failures: 1, last_error: "HTTP 500" },
      waiting(600),
      waiting(2),
      // The wait is over, and the repeated call runs.
      waiting(600, new Date(Date.now() - 60_000).toISOString()),
    ];
    const ids = [];
    for (const [age, state] of states.entries()) {
      const id = await seedSession(api.db, { status: "in_progress", duration: null, age });
      ids.push(id);
      await api.servers.query(
        "UPDATE agent_executions SET status = 'active', iteration_state = iteration_state || $2::jsonb WHERE session_id = $1",
        [id, JSON.stringify(state)],
      );
    }
    const failing = (await list()).map((session) => session.failing);
    expect(failing.map((one) => one?.what)).to.deep.equal([
      "provider",
      undefined,
      "provider",
      undefined,
      undefined,
    ]);
    expect(failing[0]).to.deep.equal({
      what: "provider",
      provider: "scripted",
      reason: "HTTP 500",
      tries: 22,
    });
    expect(failing[2]).to.include({ next_at: until });
    expect(failing[2]?.reason.length).to.equal(300);
    const found = async (state: string) => (await list(`?state=${state}`)).map(({ id }) => id);
    expect(await found("needs_approval,failing")).to.deep.equal([ids[0], ids[2]]);
    const overview = await api.raw("GET", `/api/v1/sessions/${ids[0]}/overview`);
    expect(JSON.parse(overview.text)).to.deep.include({ failing: failing[0] });
    await api.servers.query("UPDATE session_runtime SET parked_at = now() WHERE session_id = $1", [ids[0]]);
    expect((await list())[0]?.failing).to.equal(undefined);
    expect(await found("failing")).to.deep.equal([ids[2]]);
    expect(await found("needs_approval")).to.deep.equal([]);
    expect(await found("parked")).to.deep.equal([ids[0]]);
  });
});
