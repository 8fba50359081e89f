import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

describe("an alert submitted again", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    const env = { ALERT_FINGERPRINT_PATH: "/alerts/0/fingerprint, /alerts/0/startsAt" };
    const config = {
      tarsy: { mcp_servers: { "my-server": { transport: { type: "stdio", command: "my-server" } } } },
    };
    api = resources.use(await ApiFixture.start({ env, config }));
  });
  after(() => resources.disposeAsync());

  const submit = async (body: object | string, headers: Record<string, string> = {}) => {
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const answer = await api.raw("POST", "/api/v1/alerts", {
      body: bytes,
      headers: { "content-type": "application/json", ...headers },
    });
    return {
      status: answer.status,
      id: /"session_id":"([^"]+)"/u.exec(answer.text)?.[1],
      message: /"message":"((?:[^"\\]|\\.)*)"/u.exec(answer.text)?.[1],
      replayed: answer.headers.get("idempotent-replayed"),
    };
  };
  const keyed = async (body: object | string, key: string, headers: Record<string, string> = {}) =>
    submit(body, { "idempotency-key": key, ...headers });
  const count = async (table: string): Promise<unknown> =>
    api.servers.query(`SELECT count(*)::int AS n FROM ${table}`, []);

  it("is answered with the first one's session and a header", async () => {
    const key = randomUUID();
    const first = await keyed({ data: "x" }, key);
    expect(first).to.include({ status: 202, replayed: null });
    const before = await count("alert_sessions");
    expect(await keyed({ data: "x" }, key)).to.deep.equal({ ...first, replayed: "true" });
    expect(await count("alert_sessions")).to.deep.equal(before);
  });

  it("is one session however many arrive concurrently", async () => {
    const key = randomUUID();
    const before = await count("alert_sessions");
    const answers = await Promise.all(Array.from({ length: 20 }, async () => keyed({ data: "race" }, key)));
    expect(new Set(answers.map(({ id }) => id))).to.have.property("size", 1);
    expect(answers.every(({ status }) => status === 202)).to.equal(true);
    expect(answers.filter(({ replayed }) => replayed === null)).to.have.length(1);
    expect(
      await api.servers.query("SELECT count(*)::int AS n FROM alert_sessions WHERE alert_data = 'race'", []),
    ).to.deep.equal([{ n: 1 }]);
    expect(await count("alert_sessions")).to.not.deep.equal(before);
  });

  it("is the same request in any form, and a different one is refused with 422", async () => {
    const key = randomUUID();
    const mcp = { servers: [{ name: "my-server" }], native_tools: { url_context: true } };
    const first = await keyed({ data: "x", mcp }, key);
    const same =
      '{ "mcp": {"native_tools":{"url_context":true,"google_search":null},"servers":[{"tools":null,"name":"my-server"}]}, "extra": 1, "runbook": null, "alert_type": "", "data": "x" }';
    expect(await keyed(same, key)).to.include({ status: 202, id: first.id, replayed: "true" });
    const before = await count("alert_sessions");
    for (const other of [
      { data: "y", mcp },
      { data: "x" },
      { data: "x", mcp, runbook: "r" },
      { data: "x", mcp, alert_type: "kubernetes" },
      { data: "x", mcp: { ...mcp, native_tools: { url_context: false } } },
      { data: "x", mcp: { ...mcp, servers: [{ name: "my-server", tools: [] }] } },
    ]) {
      expect(await keyed(other, key)).to.deep.equal({
        status: 422,
        id: undefined,
        replayed: null,
        message: `Idempotency-Key '${key}' stands for another request: send that one unchanged, or this one with a key of its own`,
      });
    }
    expect(await count("alert_sessions")).to.deep.equal(before);
  });

  it("is a new alert from another author", async () => {
    const key = randomUUID();
    const ann = await keyed({ data: "x" }, key, { "x-forwarded-user": "ann" });
    const bob = await keyed({ data: "y" }, key, { "x-forwarded-user": "bob" });
    expect(bob).to.include({ status: 202, replayed: null });
    expect(bob.id).to.not.equal(ann.id);
  });

  it("requires a key of 1 to 255 visible ASCII characters", async () => {
    const message =
      "header Idempotency-Key must be 1 to 255 visible ASCII characters without a space, e.g. a UUID";
    for (const key of ["", "a b", "é", "x".repeat(256)]) {
      expect(await keyed({ data: "x" }, key), key).to.include({ status: 400, message });
    }
    for (const key of ["!", `~${randomUUID()}`.padEnd(255, "x")]) {
      expect(await keyed({ data: "x" }, key), key).to.include({ status: 202 });
    }
  });

  it("is new if the first request was refused", async () => {
    const key = randomUUID();
    const before = await count("idempotency_keys");
    for (const refused of [
      "{",
      { data: "" },
      { data: "x".repeat(1_048_577) },
      { data: "x", alert_type: "nope" },
      { data: "x", mcp: { servers: [{ name: "none" }] } },
    ]) {
      expect(await keyed(refused, key))
        .to.have.property("status")
        .that.is.oneOf([400, 413]);
    }
    expect(await keyed({ data: "x" }, key, { "content-encoding": "zstd" })).to.include({ status: 415 });
    expect(await count("idempotency_keys")).to.deep.equal(before);
    expect(await keyed({ data: "x" }, key)).to.include({ status: 202, replayed: null });
  });

  it("is a new alert after 24 hours", async () => {
    const key = randomUUID();
    const first = await keyed({ data: "day" }, key);
    const age = async (by: string) => {
      await api.servers.query(
        "UPDATE idempotency_keys SET expires_at = expires_at - $2::interval WHERE session_id = $1",
        [first.id, by],
      );
    };
    await age("23 h 59 min");
    expect(await keyed({ data: "day" }, key)).to.include({ replayed: "true" });
    await age("1 min");
    const second = await keyed({ data: "another day" }, key);
    expect(second).to.include({ status: 202, replayed: null });
    expect(second.id).to.not.equal(first.id);
    expect(await keyed({ data: "another day" }, key)).to.include({ id: second.id, replayed: "true" });
  });

  it("belongs to the session of its fingerprint, whatever else has changed, for a day after its end", async () => {
    const alert = (fingerprint: unknown, more: object = {}) => ({
      data: JSON.stringify({ alerts: [{ fingerprint, startsAt: "2026-01-01", ...more }] }),
    });
    const first = await submit(alert("c0ffee"));
    expect(first).to.include({ status: 202, replayed: null });
    expect(await submit(alert("c0ffee", { value: 7 }))).to.include({ id: first.id, replayed: null });
    // The author is no part of it, nor is a client's key.
    expect(await submit(alert("c0ffee"), { "x-forwarded-user": "ann" })).to.include({ id: first.id });
    expect(await keyed(alert("c0ffee"), randomUUID())).to.include({ id: first.id, replayed: null });
    const ended = async (ago: string) =>
      api.servers.query(
        "UPDATE alert_sessions SET status = 'completed', completed_at = now() - $2::interval WHERE session_id = $1",
        [first.id, ago],
      );
    await ended("23 h 59 min");
    expect(await submit(alert("c0ffee"))).to.include({ id: first.id });
    await ended("24 h");
    const others = [
      alert("c0ffee"),
      alert("c0ffee", { startsAt: "2026-01-02" }),
      alert("decaf"),
      { ...alert("c0ffee"), alert_type: "kubernetes" },
    ];
    const ids = new Set([first.id]);
    for (const other of others) ids.add((await submit(other)).id);
    expect(ids).to.have.property("size", 5);
    // Without a fingerprint an alert is new.
    for (const none of [
      alert(""),
      alert(null),
      alert({}),
      alert([]),
      { data: "no JSON" },
      { data: "null" },
    ]) {
      for (let n = 0; n < 2; n++) ids.add((await submit(none)).id);
    }
    expect(ids).to.have.property("size", 17);
  });

  it("may be nested as deeply as its size allows", async () => {
    const data = "[".repeat(500_000) + "]".repeat(500_000);
    expect(await submit({ data })).to.include({ status: 202 });
  });

  it("is a configuration error if the fingerprint's path is invalid", async () => {
    for (const path of ["fingerprint", "/", "/a//b", "/a~2", "/a,"]) {
      let configError: unknown;
      try {
        await using _started = await ApiFixture.start({
          servers: api.servers,
          env: { ALERT_FINGERPRINT_PATH: path },
        });
      } catch (error) {
        configError = error;
      }
      expect(configError, path)
        .to.be.an("error")
        .with.property("message")
        .that.includes("ALERT_FINGERPRINT_PATH");
    }
  });
});
