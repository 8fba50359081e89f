import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { openBus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { inboxNoticeCodec } from "#shared/contracts/session-signals.ts";
import { SUBJECTS, type SessionLane } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { askForPlaces } from "../parking/ask-for-places.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));

describe("parking a session", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
    await until(
      "the api is connected to the bus",
      async () => (await api.deps.dispatcher.queued()).size >= 0,
    );
  });
  after(() => api[Symbol.asyncDispose]());

  const post = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
    const { status, text } = await api.raw("POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    return { status, body: parseObject(JSON.parse(text)) };
  };
  const submit = async () => String((await post("/api/v1/alerts", { data: "x" })).body["session_id"]);
  const park = async (id: string, body: object = {}) => post(`/api/v1/sessions/${id}/park`, body);
  const resume = async (id: string) => post(`/api/v1/sessions/${id}/resume`);
  const detail = async (id: string) => {
    const { text } = await api.raw("GET", `/api/v1/sessions/${id}`, {});
    return parseObject(JSON.parse(text));
  };
  const events = async (id: string) =>
    api.servers.query(
      "SELECT payload->>'type' AS type, payload->>'by' AS by FROM events WHERE session_id = $1 AND payload->>'type' IN ('session.parked', 'session.resumed') ORDER BY seq",
      [id],
    );
  const runtime = async (id: string) => {
    const [row] = await api.servers.query(
      `SELECT park_by, park_actor, park_reason, parked_at IS NOT NULL AS parked, park_until > now() AS held,
         not_before > now() AS left_alone, inbox_seq FROM session_runtime WHERE session_id = $1`,
      [id],
    );
    return row;
  };
  const set = async (id: string, session: string, runtimeColumns = "lease_epoch = 1") => {
    await api.servers.query(`UPDATE alert_sessions SET ${session} WHERE session_id = $1`, [id]);
    await api.servers.query(`UPDATE session_runtime SET ${runtimeColumns} WHERE session_id = $1`, [id]);
  };
  const RUNS = "lease_expires_at = now() + interval '1 h', lease_owner = 'x', lease_epoch = 1";

  it("asks the owner of a running one, once, and shows who did and why", async () => {
    const id = await submit();
    await set(id, "status = 'in_progress', started_at = now()", RUNS);
    const bus = await openBus({
      url: api.servers.nats.url,
      name: "test",
      log: api.deps.log,
      signal: new AbortController().signal,
    });
    const heard: number[] = [];
    const notices = subscribe(bus, SUBJECTS.inbox(id), inboxNoticeCodec, ({ inbox_seq }) =>
      heard.push(inbox_seq),
    );
    await notices.live();
    const first = await park(id, { reason: "the database team is at it" });
    expect(first).to.deep.include({ status: 200 });
    expect(first.body).to.include({ session_id: id, status: "parking" });
    await until("the owner is told", () => Promise.resolve(heard.length > 0));
    expect(await park(id, { reason: "again" })).to.have.nested.property("body.status", "parking");
    expect(await runtime(id)).to.include({
      park_by: "operator",
      park_reason: "the database team is at it",
      parked: false,
      held: true,
      inbox_seq: 1,
    });
    const shown = parseObject((await detail(id))["parked"]);
    expect(shown).to.include({ by: "operator", reason: "the database team is at it" });
    expect(shown).to.include.keys("actor", "requested_at", "until");
    expect(shown).not.to.have.property("at");
    expect(await events(id)).to.deep.equal([]);
    expect(await resume(id)).to.have.nested.property("body.status", "resuming");
    expect(await detail(id)).not.to.have.property("parked");
    await bus[Symbol.asyncDispose]();
  });

  it("parks one without an owner at once, and lets it wait for a place when it is resumed", async () => {
    const id = await submit();
    await set(id, "status = 'in_progress', started_at = now()", "lease_epoch = 1, lease_expires_at = NULL");
    expect(await park(id)).to.have.nested.property("body.status", "parked");
    expect(await park(id)).to.have.nested.property("body.status", "parked");
    expect(await runtime(id)).to.include({ parked: true, held: true, left_alone: true });
    expect(parseObject((await detail(id))["parked"])).to.include.keys("at", "until");
    expect(await resume(id)).to.have.nested.property("body.status", "resuming");
    expect(await resume(id)).to.have.nested.property("body.status", "resuming");
    expect(await runtime(id)).to.include({ parked: true, held: null });
    expect(parseObject((await detail(id))["parked"])).not.to.have.property("until");
    expect(await events(id)).to.deep.equal([{ type: "session.parked", by: "operator" }]);
  });

  it("keeps one that has not started from starting, and gives it back to the queue", async () => {
    const id = await submit();
    expect(await park(id)).to.have.nested.property("body.status", "parked");
    expect(await runtime(id)).to.include({ parked: true, left_alone: true });
    expect(await resume(id)).to.have.nested.property("body.status", "resuming");
    expect(await runtime(id)).to.include({ parked: false, left_alone: null, park_by: null });
    expect(await events(id)).to.deep.equal([
      { type: "session.parked", by: "operator" },
      { type: "session.resumed", by: null },
    ]);
    expect(await resume(id)).to.have.nested.property("body.status", "not_parked");
  });

  it("refuses a session that has ended or is being cancelled, and a reason that is too long", async () => {
    const id = await submit();
    expect(JSON.stringify(await park(id, { reason: "x".repeat(1_001) }))).to.include("field 'reason'");
    expect((await park(id, { reason: 5 })).status).to.equal(400);
    await set(id, "status = 'in_progress', started_at = now()", RUNS);
    await post(`/api/v1/sessions/${id}/cancel`);
    for (const change of [park, resume]) {
      expect(await change(id)).to.have.property("status", 409);
      expect(JSON.stringify(await change(id))).to.include("is being cancelled");
    }
    await set(id, "status = 'completed', completed_at = now()");
    for (const change of [park, resume]) {
      expect(await change(id)).to.have.property("status", 409);
      expect(JSON.stringify(await change(id))).to.include("it is completed");
    }
    expect((await park(randomUUID())).status).to.equal(404);
  });

  it("lets a parked one be cancelled", async () => {
    const id = await submit();
    await set(id, "status = 'in_progress', started_at = now()", "lease_epoch = 1, lease_expires_at = NULL");
    await park(id);
    expect((await post(`/api/v1/sessions/${id}/cancel`)).status).to.equal(200);
    expect(await runtime(id)).to.include({ left_alone: null });
    expect(await detail(id)).not.to.have.property("parked");
  });

  describe("for a critical one that waits", () => {
    beforeEach(async () => {
      await api.servers.query("UPDATE alert_sessions SET deleted_at = now() WHERE deleted_at IS NULL", []);
      await api.servers.query("DELETE FROM executors", []);
      await executor(10);
    });

    const executor = async (slots: number) =>
      api.servers.query("INSERT INTO executors (executor_id, pod_id, slots) VALUES ($1, 'pod', $2)", [
        randomUUID(),
        slots,
      ]);
    let age = 0;
    const insert = async (lane: SessionLane, status: string, columns = "lease_epoch = 0") => {
      const id = randomUUID();
      age += 1;
      await api.servers.query(
        `WITH session AS (
           INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, lane, status, started_at)
           VALUES ($1, 'x', 'test', 'c', 'h', $2, $3::session_status,
                   CASE WHEN $3 <> 'pending' THEN now() - interval '1 h' + make_interval(secs => $4) END) RETURNING session_id)
         INSERT INTO session_runtime (session_id) SELECT session_id FROM session`,
        [id, lane, status, age],
      );
      await api.servers.query(`UPDATE session_runtime SET ${columns} WHERE session_id = $1`, [id]);
      return id;
    };
    const runs = async (lane: SessionLane, columns = "") =>
      insert(lane, "in_progress", columns === "" ? RUNS : `${RUNS}, ${columns}`);
    const waits = async (lane: SessionLane) => insert(lane, "pending");
    const ask = async (places = 5) =>
      (await askForPlaces(api.deps.db, places)).map(({ session_id }) => session_id);

    it("asks the youngest of the lowest lane, and each lane keeps its oldest", async () => {
      const low = [await runs("low"), await runs("low"), await runs("low")];
      const normal = [await runs("normal"), await runs("normal")];
      for (let n = 0; n < 9; n++) await waits("critical");
      const asked = [await ask(), await ask()].flat();
      // Those of the first ask are expected to give their places up, so that the second asks for none that they give.
      expect(asked).to.have.members([low[2], low[1], normal[1]]);
    });

    it("asks exactly as many as wait, however many apis ask at once", async () => {
      for (let n = 0; n < 5; n++) await runs("low");
      await waits("critical");
      await waits("critical");
      const asked = await Promise.all(Array.from({ length: 8 }, async () => ask()));
      expect(asked.flat()).to.have.length(2);
      expect(new Set(asked.flat()).size).to.equal(2);
    });

    it("asks none while a place is free, or a session that was asked has not given its place up", async () => {
      for (let n = 0; n < 4; n++) await runs("low");
      await waits("critical");
      expect(await ask()).to.deep.equal([]);
      await runs("low");
      expect(await ask()).to.have.length(1);
      expect(await ask()).to.deep.equal([]);
      // Its executor is frozen: another one is asked.
      await api.servers.query(
        "UPDATE session_runtime SET park_requested_at = park_requested_at - interval '16 s' WHERE park_requested_at IS NOT NULL",
        [],
      );
      expect(await ask()).to.have.length(1);
    });

    it("counts the places that there are: no more than the executors that are alive have slots", async () => {
      await api.servers.query("DELETE FROM executors", []);
      await executor(2);
      const [, second] = [await runs("low"), await runs("low")];
      await waits("critical");
      expect(await ask()).to.deep.equal([second]);
      await api.servers.query("UPDATE session_runtime SET park_requested_at = NULL", []);
      await executor(3);
      expect(await ask()).to.deep.equal([]);
    });

    it("asks none for sessions of other lanes, or for one that is parked itself", async () => {
      for (let n = 0; n < 5; n++) await runs("low");
      await waits("normal");
      await waits("low");
      expect(await ask()).to.deep.equal([]);
    });

    it("lets a session run for a while before it is parked again, and parks it at most five times", async () => {
      await runs("low");
      const again = await runs("low", "parkings = 1, resumed_at = now() - interval '20 s'");
      await runs("low", "parkings = 5, resumed_at = now() - interval '1 h'");
      await waits("critical");
      await waits("critical");
      await waits("critical");
      // The oldest keeps no place of its own: the two that cannot be parked do.
      expect(await ask(3)).to.have.length(1);
      await api.servers.query(
        "UPDATE session_runtime SET resumed_at = now() - interval '61 s' WHERE session_id = $1",
        [again],
      );
      expect(await ask(3)).to.deep.equal([again]);
    });

    it("takes the last place of a lane only if there are fewer places than lanes", async () => {
      const [low, normal] = [await runs("low"), await runs("normal")];
      await waits("critical");
      expect(await ask(2)).to.deep.equal([low]);
      await api.servers.query("UPDATE session_runtime SET park_requested_at = NULL", []);
      await api.servers.query("DELETE FROM executors", []);
      await executor(2);
      expect(await ask(3)).to.deep.equal([]);
      expect(normal).to.be.a("string");
    });
  });
});
