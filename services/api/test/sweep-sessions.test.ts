import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const log = pino({ level: "silent" });

describe("sweepSessions", () => {
  let api: ApiFixture;
  let bus: Bus;

  before(async () => {
    api = await ApiFixture.start({ ownServers: true });
    const { signal } = new AbortController();
    bus = await openBus({ url: api.servers.nats.url, name: "test", log, signal });
    await until("the streams exist", () => queuedSessions(bus));
    api.sweep(50);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await bus[Symbol.asyncDispose]();
  });

  /** Inserts a session without a wake-up. */
  const insert = async (columns: { status?: string; runtime?: string; deleted?: boolean } = {}) => {
    const id = randomUUID();
    await api.servers.query(
      `WITH session AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status,
                                     completed_at, deleted_at)
         VALUES ($1, 'x', 'test', 'c', 'h', $2::session_status, CASE WHEN $2 = 'completed' THEN now() END,
                 CASE WHEN $3 THEN now() END)
         RETURNING session_id)
       INSERT INTO session_runtime (session_id, lease_expires_at, not_before)
       SELECT session_id, ${columns.runtime ?? "NULL, NULL"} FROM session`,
      [id, columns.status ?? "pending", columns.deleted ?? false],
    );
    return id;
  };
  const queued = async (id: string) => (await queuedSessions(bus)).has(id);
  /** Resolves after a sweep: the oldest sessions are dispatched first, so all earlier ones were considered too. */
  const oneSweep = async () => {
    const marker = await insert();
    await until("a sweep has passed", async () => queued(marker));
  };

  it("wakes an executor for an unowned session", async () => {
    const ids = [
      await insert(),
      await insert({ status: "in_progress" }),
      await insert({ status: "cancelling" }),
      await insert({ status: "in_progress", runtime: "now() - interval '1 s', NULL" }),
      await insert({ runtime: "NULL, now() - interval '1 s'" }),
    ];
    for (const id of ids) await until("its wake-up is in the stream", async () => queued(id));
  });

  it("ignores sessions that are owned, deferred, over or deleted", async () => {
    const ids = [
      await insert({ status: "in_progress", runtime: "now() + interval '1 h', NULL" }),
      await insert({ runtime: "NULL, now() + interval '1 h'" }),
      await insert({ status: "completed" }),
      await insert({ deleted: true }),
    ];
    await oneSweep();
    await oneSweep();
    for (const id of ids) expect(await queued(id)).to.equal(false);
  });

  it("asks a session of a lower lane to park for a critical one that waits", async () => {
    const owned = { status: "in_progress", runtime: "now() + interval '1 h', NULL" };
    const low = [await insert(owned), await insert(owned)];
    await api.servers.query(
      "UPDATE alert_sessions SET lane = 'low', started_at = now() WHERE session_id = ANY ($1)",
      [low],
    );
    const critical = await insert();
    await api.servers.query("UPDATE alert_sessions SET lane = 'critical' WHERE session_id = $1", [critical]);
    const asked = "SELECT FROM session_runtime WHERE session_id = ANY ($1) AND park_requested_at IS NOT NULL";
    await until("one of them is asked", async () => (await api.servers.query(asked, [low])).length === 1);
    await api.servers.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = ANY ($1)", [
      [...low, critical],
    ]);
  });

  it("publishes nothing for a session whose wake-up is in the stream", async () => {
    await oneSweep();
    const { wakeups } = api.deps.metrics;
    const refused = async () =>
      (await wakeups.get()).values.find(({ labels }) => labels.result === "already_queued")?.value ?? 0;
    await oneSweep();
    await oneSweep();
    expect(await refused()).to.equal(0);
  });

  it("soft-deletes sessions that ended before the retention period, and no others", async () => {
    const ended = async (days: number) => {
      const id = await insert({ status: "completed" });
      await api.servers.query(
        "UPDATE alert_sessions SET completed_at = now() - make_interval(days => $2) WHERE session_id = $1",
        [id, days],
      );
      return id;
    };
    const [old, young, pending] = [await ended(91), await ended(89), await insert()];
    await using second = await ApiFixture.start({ servers: api.servers });
    second.cleanUp();
    const status = async (id: string) => (await api.client.request("GET", `/api/v1/sessions/${id}`)).status;
    await until("the old one is hidden", async () => (await status(old)) === 404);
    for (const id of [young, pending]) expect(await status(id)).to.equal(200);
  });
});

describe("an api that starts before NATS", () => {
  it("accepts alerts and dispatches them once NATS is up", async () => {
    await using api = await ApiFixture.start({ ownServers: true });
    await api.servers.killNats();
    await using early = await ApiFixture.start({ servers: api.servers });
    early.sweep(50);
    const id = await early.client.submit("x");
    expect((await early.client.request("GET", "/health")).body["nats"]).to.include({
      status: "unhealthy",
      error: "NATS has not answered yet",
    });
    await api.servers.restartNats();
    const { signal } = new AbortController();
    await using bus = await openBus({ url: api.servers.nats.url, name: "test", log, signal });
    await until("its wake-up is in the stream", async () => (await queuedSessions(bus)).has(id));
  });
});
