import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

const parseAnswer = compileParser(
  "answer",
  Type.Object({
    session_id: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
);
const parseCount = compileParser("count", Type.Object({ n: Type.Integer() }));

/** A chain for each alert type; all agents are the built-in ones. */
const chain = (alertType: string, grouping?: object, more: object = {}) => ({
  alert_types: [alertType],
  stages: [{ name: "look", agents: [{ name: "KubernetesAgent" }] }],
  ...(grouping === undefined ? {} : { grouping }),
  ...more,
});
const BY = { by: ["/name", "/cluster"] };
const STATE = { path: "/state", values: ["resolved", "ok"] };

const CHAINS = {
  counts: chain("counts", { ...BY, window: "10m" }),
  reopens: chain("reopens", { ...BY, window: "10m", on_late: "reopen" }),
  concludes: chain("concludes", { ...BY, on_resolved: "conclude", resolved: STATE }),
  cancels: chain("cancels", {
    ...BY,
    on_resolved: "cancel",
    resolved: { ...STATE, alert: ["/pod"] },
  }),
  alone: chain("alone"),
  test: chain("test"),
  red: chain("red", { ...BY, window: "10m", on_late: "reopen" }, { teams: ["red"] }),
};

describe("alerts of one incident", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: { tarsy: { agent_chains: CHAINS } } }));
  });
  after(() => resources.disposeAsync());

  const post = async (
    alertType: string,
    data: object | string,
    headers: Record<string, string> = {},
    on = api,
  ) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const answer = await on.raw("POST", "/api/v1/alerts", {
      body: Buffer.from(JSON.stringify({ data: text, alert_type: alertType })),
      headers: { "content-type": "application/json", ...headers },
    });
    const decoded: unknown = JSON.parse(answer.text);
    const { session_id: id, status, message } = parseAnswer(decoded);
    return { code: answer.status, id, status, message, replayed: answer.headers.get("idempotent-replayed") };
  };
  const incident = () => ({ name: randomUUID(), cluster: "eu" });
  const count = async (sql: string, parameters: unknown[]) => {
    const [row] = await api.servers.query(`SELECT count(*)::int AS n FROM ${sql}`, parameters);
    return parseCount(row).n;
  };
  const end = async (id: string | undefined, ago = "0 s", status = "completed") => {
    await api.servers.query(
      `UPDATE alert_sessions SET status = $3::session_status, completed_at = now() - $2::interval, final_analysis = 'it was DNS' WHERE session_id = $1`,
      [id, ago, status],
    );
  };
  const rows = async (id: string | undefined) =>
    api.servers.query(
      "SELECT ordinal, outcome, is_resolved, effect, data FROM group_alerts WHERE session_id = $1 ORDER BY ordinal",
      [id],
    );

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
      await count("(SELECT DISTINCT data FROM group_alerts WHERE session_id = $1 AND data IS NOT NULL) t", [id]),
    ).to.equal(59);
    expect(await count("events WHERE session_id = $1 AND payload ->> 'type' = 'alert.linked'", [id])).to.equal(1);
  });

  it("are known by their fields, whoever sends them, and only where a chain asks for it", async () => {
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
    const [row] = await api.servers.query("SELECT group_key AS key FROM alert_groups WHERE session_id = $1", [id]);
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
    expect(await post("cancels", { ...about, pod: "b", state: "resolved" })).to.include({ status: "linked", id });
    expect(await api.sessionRow("status", id ?? "")).to.deep.equal({ status: "cancelled" });
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

  describe("from clients who may not see each other's sessions", () => {
    let keyed: ApiFixture;

    before(async () => {
      const { servers } = api;
      keyed = resources.use(
        await ApiFixture.start({ servers, config: { tarsy: { agent_chains: CHAINS } }, env: KEY_ACCESS }),
      );
    });

    it("are linked without naming the session, and end none that the sender may not see", async () => {
      const ann = await keyed.keyOf(`ann-${randomUUID()}`, ["submitter"]);
      const bob = await keyed.keyOf(`bob-${randomUUID()}`, ["submitter"]);
      const about = incident();
      const { id } = await post("concludes", about, ann, keyed);
      expect(await post("concludes", about, bob, keyed)).to.include({ status: "linked", id: undefined });
      await post("concludes", { ...about, state: "ok" }, bob, keyed);
      expect(await count("steering_messages WHERE session_id = $1", [id])).to.equal(0);
      expect(await post("concludes", { ...about, state: "ok" }, ann, keyed)).to.include({ id });
      expect(await count("steering_messages WHERE session_id = $1", [id])).to.equal(1);
    });

    it("begin anew once their session is deleted", async () => {
      const about = incident();
      const { id } = await post("counts", about);
      await end(id);
      const headers = await keyed.keyOf(`admin-${randomUUID()}`, ["admin"]);
      expect(await keyed.raw("DELETE", `/api/v1/sessions/${id}`, { headers })).to.include({ status: 204 });
      expect(await post("counts", about)).to.include({ status: "queued" });
    });

    it("do not hand on what another's session found", async () => {
      const ann = await keyed.keyOf(`ann-${randomUUID()}`, ["submitter"]);
      const bob = await keyed.keyOf(`bob-${randomUUID()}`, ["submitter"]);
      const red = await keyed.keyOf(`red-${randomUUID()}`, ["submitter"], ["red"]);
      for (const [type, other, from] of [
        ["reopens", bob, null],
        ["red", red, "former"],
      ] as const) {
        const about = incident();
        const { id } = await post(type, about, ann, keyed);
        await end(id);
        const next = await post(type, about, other, keyed);
        expect(next).to.include({ status: "queued" });
        expect(await api.sessionRow("reopened_from", next.id ?? "")).to.deep.equal({
          reopened_from: from === null ? null : id,
        });
      }
    });
  });
});
