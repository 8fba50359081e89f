import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { GROUPED, groupReads, incident, postAlert } from "./alert-group-fixture.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("alerts of one incident", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: GROUPED }));
  });
  after(() => resources.disposeAsync());

  const post = async (alertType: string, data: object | string, headers: Record<string, string> = {}) =>
    postAlert(api, alertType, data, headers);
  const { count, end, rows } = groupReads(() => api);

  it("have one session, however many arrive at the same moment", async () => {
    const about = incident();
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => post("counts", { ...about, n })),
    );
    expect(answers.map(({ code }) => code)).to.deep.equal(answers.map(() => 202));
    const ids = new Set(answers.map(({ id }) => id));
    expect(ids).to.have.property("size", 1);
    expect(answers.filter(({ status }) => status === "queued")).to.have.length(1);
    expect(answers.filter(({ status }) => status === "linked")).to.have.length(59);
    const [id] = ids;
    const stored = await rows(id);
    expect(stored).to.have.length(60);
    expect(await count("alert_groups WHERE session_id = $1 AND count = 60", [id])).to.equal(1);
    expect(
      await count("(SELECT DISTINCT data FROM group_alerts WHERE session_id = $1 AND data IS NOT NULL) t", [
        id,
      ]),
    ).to.equal(59);
    const linked = "events WHERE session_id = $1 AND payload ->> 'type' = 'alert.linked'";
    expect(await count(linked, [id])).to.be.greaterThan(0);
    const tooSoon = `(SELECT created_at - lag(created_at) OVER (ORDER BY seq) AS gap FROM ${linked}) g`;
    expect(await count(`${tooSoon} WHERE gap < interval '5 s'`, [id])).to.equal(0);
  });

  it("are known by their fields, whatever their sender, and only where a chain asks for it", async () => {
    const about = incident();
    const first = await post("counts", about, { "x-forwarded-user": "ann" });
    expect(await post("counts", { ...about, more: 1 }, { "x-forwarded-user": "bob" })).to.include({
      status: "linked",
      id: first.id,
    });
    for (const other of [
      { ...about, cluster: "us" },
      { ...about, name: "other" },
      { name: about.name },
      { ...about, cluster: "" },
      "no JSON",
    ]) {
      for (let n = 0; n < 2; n++) {
        const answer = await post("counts", other);
        expect(answer.id).to.not.equal(first.id);
        if (n === 0) expect(answer.status).to.equal("queued");
      }
    }
    for (const alone of [1, 2]) {
      expect(await post("alone", about), `alert ${alone}`).to.include({ status: "queued" });
    }
    // The same fields of another chain are another incident.
    expect(await post("reopens", about)).to.include({ status: "queued" });
  });

  it("have keys that do not contain or reveal their values", async () => {
    const about = incident();
    const { id } = await post("counts", about);
    const [row] = await api.servers.query("SELECT group_key AS key FROM alert_groups WHERE session_id = $1", [
      id,
    ]);
    expect(JSON.stringify(row)).to.match(/^\{"key":"[0-9a-f]{64}"\}$/u);
  });

  it("are replayed by their Idempotency-Key before they are grouped", async () => {
    const about = incident();
    const key = randomUUID();
    const first = await post("counts", about, { "idempotency-key": key });
    expect(first).to.include({ status: "queued", replayed: null });
    const again = await post("counts", about, { "idempotency-key": key });
    expect(again).to.deep.equal({ ...first, replayed: "true" });
    expect(await rows(first.id)).to.have.length(1);
    const second = await post("counts", about, { "idempotency-key": `${key}2` });
    expect(second).to.include({ status: "linked", id: first.id, replayed: null });
    expect(await post("counts", about, { "idempotency-key": `${key}2` })).to.include({
      id: first.id,
      replayed: "true",
    });
    expect(await rows(first.id)).to.have.length(2);
    // The same key for another alert fails alone.
    const [bad, good] = await Promise.all([
      post("counts", { ...about, other: 1 }, { "idempotency-key": key }),
      post("counts", { ...about, other: 2 }),
    ]);
    expect(bad).to.include({ code: 422 });
    expect(good).to.include({ status: "linked", id: first.id });
  });

  it("share keys and groups in any order without a deadlock", async () => {
    const groups = Array.from({ length: 4 }, incident);
    const keys = Array.from({ length: 40 }, () => randomUUID());
    const send = async (n: number) =>
      post("counts", groups[n % 4] ?? {}, { "idempotency-key": keys[n % 40] ?? "" });
    // Each key three times, concurrently: the alerts of a key are the same.
    const answers = await Promise.all(Array.from({ length: 120 }, async (_, n) => send(n)));
    expect(new Set(answers.map(({ code }) => code))).to.deep.equal(new Set([202]));
    expect(answers.filter(({ replayed }) => replayed === "true")).to.have.length(80);
    const ids = new Set(answers.map(({ id }) => id));
    expect(ids).to.have.property("size", 4);
    expect(await count("group_alerts WHERE session_id = ANY($1::uuid[])", [[...ids]])).to.equal(40);
  });

  it("are counted after the session's end, and begin anew after the window", async () => {
    const about = incident();
    const { id } = await post("counts", about);
    await end(id, "9 min");
    expect(await post("counts", about)).to.include({ status: "linked", id });
    await end(id, "11 min");
    const next = await post("counts", about);
    expect(next).to.include({ status: "queued" });
    expect(next.id).to.not.equal(id);
    expect(await post("counts", about)).to.include({ status: "linked", id: next.id });
    expect(await rows(id)).to.deep.equal([
      { ordinal: 1, outcome: "opened", is_resolved: false, effect: null, data: null },
      { ordinal: 2, outcome: "counted", is_resolved: false, effect: null, data: JSON.stringify(about) },
    ]);
    expect(await rows(next.id)).to.have.length(2);
  });

  it("reopen the incident where the chain says so, with a session that names the former, a few times", async () => {
    const about = incident();
    let { id } = await post("reopens", about);
    for (let n = 1; n <= 5; n++) {
      await end(id);
      const next = await post("reopens", about);
      expect(next).to.include({ status: "queued" });
      expect(await api.sessionRow("reopened_from", next.id ?? "")).to.deep.equal({ reopened_from: id });
      expect(await rows(next.id)).to.have.nested.property("[0].outcome", "reopened");
      id = next.id;
    }
    await end(id);
    expect(await post("reopens", about)).to.include({ status: "linked", id });
    await end(id, "11 min");
    const anew = await post("reopens", about);
    expect(await api.sessionRow("reopened_from", anew.id ?? "")).to.deep.equal({ reopened_from: null });
  });

  it("have the session's agents conclude once the incident is over", async () => {
    const about = incident();
    const { id } = await post("concludes", about);
    expect(await post("concludes", { ...about, state: "ok" })).to.include({ status: "linked", id });
    const told = await api.servers.query(
      "SELECT mode, author, is_from_alert FROM steering_messages WHERE session_id = $1",
      [id],
    );
    expect(told).to.deep.equal([{ mode: "conclude", author: "alert", is_from_alert: true }]);
    expect(await rows(id)).to.have.nested.property("[1].effect", "conclude");
    expect(await post("concludes", { ...about, state: "firing" })).to.include({ status: "linked", id });
    // After the end it is counted.
    await end(id);
    expect(await post("concludes", { ...about, state: "ok" })).to.include({ status: "linked", id });
    expect(await rows(id)).to.have.nested.property("[3].effect", null);
  });

  it("cancel the session once each of them is over, and what fires again is investigated", async () => {
    const about = incident();
    const { id } = await post("cancels", { ...about, pod: "a" });
    await post("cancels", { ...about, pod: "b" });
    await post("cancels", { ...about, pod: "a", state: "resolved" });
    expect(await api.sessionRow("status", id ?? "")).to.deep.equal({ status: "pending" });
    expect(await post("cancels", { ...about, pod: "b", state: "resolved" })).to.include({
      status: "linked",
      id,
    });
    expect(await api.sessionRow("status, error_message", id ?? "")).to.deep.equal({
      status: "cancelled",
      error_message: "cancelled because the incident is over: an alert reported it as resolved",
    });
    expect(await rows(id)).to.have.length(4);
    const again = await post("cancels", { ...about, pod: "b" });
    expect(again).to.include({ status: "queued" });
    expect(again.id).to.not.equal(id);
  });

  it("that say they are over start no session, and are stored once", async () => {
    const about = { ...incident(), state: "resolved" };
    const key = randomUUID();
    const before = await count("alert_sessions", []);
    for (let n = 0; n < 2; n++) {
      const answer = await post("concludes", about, { "idempotency-key": key });
      expect(answer).to.include({ code: 202, status: "resolved", id: undefined });
      expect(answer.message).to.include("says that it is over");
    }
    expect(await count("alert_sessions", [])).to.equal(before);
    expect(await count("alert_notifications WHERE body = $1", [JSON.stringify(about)])).to.equal(1);
    expect(await count("alert_groups WHERE session_id IS NULL", [])).to.equal(0);
  });

  it("can be read, newest first and page by page, and are counted in the session's detail", async () => {
    const about = incident();
    const { id } = await post("concludes", about);
    for (let n = 2; n <= 5; n++) await post("concludes", { ...about, n });
    await post("concludes", { ...about, state: "ok" });
    const get = async (path: string): Promise<unknown> =>
      JSON.parse((await api.raw("GET", `/api/v1/sessions/${id}${path}`)).text);
    const first = await get("/alerts?limit=4");
    expect(first).to.deep.include({ session_id: id, count: 6, has_more: true });
    expect(first)
      .to.have.nested.property("alerts[0]")
      .that.deep.includes({
        ordinal: 6,
        outcome: "linked",
        is_resolved: true,
        effect: "conclude",
        data: JSON.stringify({ ...about, state: "ok" }),
      });
    const rest = await get("/alerts?before=3&limit=100");
    expect(rest).to.deep.include({ count: 6, has_more: false });
    expect(rest).to.have.nested.property("alerts.length", 2);
    expect(rest)
      .to.have.nested.property("alerts[1]")
      .that.deep.includes({
        ordinal: 1,
        outcome: "opened",
        data: JSON.stringify(about),
      });
    expect((await api.raw("GET", `/api/v1/sessions/${id}/alerts?limit=101`)).status).to.equal(400);
    const detail = await get("");
    expect(detail).to.have.property("alert_group").that.includes({ count: 6, state: "open" });
    expect(detail).to.have.nested.property("alert_group.resolved_at").that.is.a("string");
    await end(id, "2 h");
    expect(await get("")).to.have.nested.property("alert_group.state", "closed");
    const alone = await post("alone", about);
    const other: unknown = JSON.parse((await api.raw("GET", `/api/v1/sessions/${alone.id}`)).text);
    expect(other).to.not.have.property("alert_group");
    expect((await api.raw("GET", `/api/v1/sessions/${alone.id}/alerts`)).text).to.include(
      '"count":0,"alerts":[]',
    );
  });

  it("are masked with the key of the session, also what was a secret there only", async () => {
    const about = incident();
    const password = `hunter${randomUUID()}`;
    const { id = "" } = await post("counts", { ...about, text: `password: ${password}` });
    await post("counts", { ...about, text: `login with ${password} failed` });
    const [row] = await api.servers.query(
      `SELECT s.alert_data AS own, a.data AS joined FROM group_alerts a JOIN alert_sessions s USING (session_id)
       WHERE session_id = $1 AND ordinal = 2`,
      [id],
    );
    const stored = JSON.stringify(row);
    expect(stored).to.not.include(password);
    const placeholders = stored.match(/\[MASKED[^\]]*\]/gu) ?? [];
    expect(placeholders, stored).to.have.length(2);
    expect(placeholders[0]).to.equal(placeholders[1]);
  });

  it("store at most 16,384 characters of a text", async () => {
    const about = incident();
    const { id } = await post("counts", about);
    const long = { ...about, text: "x".repeat(100_000) };
    await post("counts", long);
    const [row] = await api.servers.query(
      "SELECT length(data) AS stored, bytes FROM group_alerts WHERE session_id = $1 AND ordinal = 2",
      [id],
    );
    expect(row).to.deep.equal({ stored: 16_384, bytes: JSON.stringify(long).length });
  });
});
