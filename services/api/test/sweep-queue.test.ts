import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { ensureDurables } from "#shared/bus/ensure-streams.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { FOLLOWUPS_QUEUE, SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });

describe("sweepSessions and the queue", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let bus: Bus;

  beforeEach(async () => {
    api = resources.use(await ApiFixture.start());
    bus = resources.use(await openBus({ url: api.servers.nats.url, name: "test", log, signal }));
    await until("the streams exist", () => queuedSessions(bus));
  });
  afterEach(async () => {
    await bus[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });
  after(() => resources.disposeAsync());

  /** Inserts sessions without wake-ups and returns their ids, oldest first; all have the same `created_at`. */
  const insert = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID()).toSorted();
    await api.servers.query(
      `WITH session AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash)
         SELECT id, 'x', 'test', 'c', 'h' FROM unnest($1::uuid[]) AS id RETURNING session_id)
       INSERT INTO session_runtime (session_id) SELECT session_id FROM session`,
      [ids],
    );
    return ids;
  };
  const wakeups = async (result: string) =>
    (await api.deps.metrics.wakeups.get()).values.find(({ labels }) => labels.result === result)?.value ?? 0;
  const repairs = async () => (await api.deps.metrics.queueRepairs.get()).values[0]?.value;
  const sweeps = async () => {
    const [marker] = await insert(1);
    await until("a sweep has passed", async () => (await queuedSessions(bus)).has(String(marker)));
  };

  it("dispatches thousands of unowned sessions, oldest first", async () => {
    const ids = [...(await insert(700)), ...(await insert(1_300))];
    api.sweep(50);
    await until("all are in the stream", async () => (await queuedSessions(bus)).size === ids.length);
    await until("all are acknowledged", async () => (await wakeups("queued")) === ids.length);
    await ensureDurables(bus, { maxSessions: 5, maxFollowups: 2 });
    for (const id of ids.slice(0, 3)) {
      expect(await pullSession(bus, SESSIONS_QUEUE, signal)).to.have.property("sessionId", id);
    }
  });

  it("queues each session once when several replicas sweep concurrently", async () => {
    await using second = await ApiFixture.start({ servers: api.servers });
    const ids = await insert(600);
    api.sweep(20);
    second.sweep(20);
    await until("all are in the stream", async () => (await queuedSessions(bus)).size === ids.length);
    await sweeps();
    const { messages } = (await bus.jsm.streams.info(SESSIONS_STREAM)).state;
    expect(messages).to.equal(ids.length + 1);
    expect(await wakeups("failed")).to.equal(0);
  });

  it("recreates a consumer that is ahead of its stream, so that everything is delivered", async () => {
    const ids = await insert(3);
    for (const id of ids) await wakeSession(bus, id);
    // A consumer of another subject delivers nothing, like one that is ahead of its stream.
    await ensureDurables(bus, { maxSessions: 5, maxFollowups: 2 });
    const { config: right } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    await bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
    await bus.jsm.consumers.add(SESSIONS_STREAM, { ...right, filter_subject: "tarsy.sessions.none" });
    // Executors keep pulling while the consumer is recreated.
    const delivered: unknown[] = [];
    const pulling = until("all are delivered", async () => {
      const delivery = await pullSession(bus, SESSIONS_QUEUE, signal);
      if (delivery !== null) delivered.push(delivery.sessionId);
      return delivered.length === ids.length;
    });
    api.sweep(50);
    await until("the consumer is recreated", async () => (await repairs()) === 1);
    await pulling;
    expect(delivered).to.have.members(ids);
    await sweeps();
    await sweeps();
    expect(await repairs()).to.equal(1);
    const { config } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    expect(config).to.deep.equal(right);
  });

  it("recreates the consumer of follow-ups alone when only that one is stuck", async () => {
    const { stream, durable } = FOLLOWUPS_QUEUE;
    const ids = await insert(2);
    for (const id of ids) await wakeSession(bus, id, "followup");
    await ensureDurables(bus, { maxSessions: 5, maxFollowups: 5 });
    const { config: right } = await bus.jsm.consumers.info(stream, durable);
    const { created } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    await bus.jsm.consumers.delete(stream, durable);
    await bus.jsm.consumers.add(stream, { ...right, filter_subject: "tarsy.sessions.followup.none" });
    api.sweep(50);
    await until("the consumer is recreated", async () => (await repairs()) === 1);
    expect((await bus.jsm.consumers.info(stream, durable)).config).to.deep.equal(right);
    for (const id of ids) {
      expect(await pullSession(bus, FOLLOWUPS_QUEUE, signal)).to.have.property("sessionId", id);
    }
    const executors = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    expect(executors.created).to.equal(created);
  });

  it("leaves a consumer alone that has its maximum of unacknowledged messages", async () => {
    const ids = await insert(8);
    for (const id of ids) await wakeSession(bus, id);
    await ensureDurables(bus, { maxSessions: 5, maxFollowups: 2 });
    const first = await pullSession(bus, SESSIONS_QUEUE, signal);
    const second = await pullSession(bus, SESSIONS_QUEUE, signal);
    second?.nak(60_000);
    await first?.ack();
    api.sweep(20);
    for (let n = 0; n < 4; n++) await sweeps();
    expect(await repairs()).to.equal(0);
  });

  it("asks NATS nothing while no session is unowned", async () => {
    const asked: string[] = [];
    const { connection } = bus;
    const requests = connection.subscribe("$JS.API.>", {
      callback: (_, { subject }) => asked.push(subject),
    });
    await connection.flush();
    const { unowned } = api.deps.metrics;
    const oneSweep = async () => {
      unowned.set(-1);
      await until("a sweep has read the sessions", async () => (await unowned.get()).values[0]?.value === 0);
    };
    api.sweep(20);
    // The first ones prepare the streams.
    for (let n = 0; n < 3; n++) await oneSweep();
    await connection.flush();
    asked.length = 0;
    for (let n = 0; n < 3; n++) await oneSweep();
    await connection.flush();
    expect(asked).to.deep.equal([]);
    await sweeps();
    await until("its requests are heard", () => asked.length > 0);
    requests.unsubscribe();
  });

  it("dispatches an accepted alert whose wake-up a full stream refused", async () => {
    api.sweep(50);
    const first = await api.client.submit("x");
    await until("the first is in the stream", async () => (await queuedSessions(bus)).has(first));
    const { config } = await bus.jsm.streams.info(SESSIONS_STREAM);
    await bus.jsm.streams.update(SESSIONS_STREAM, { ...config, max_msgs: 1 });
    const second = await api.client.submit("x");
    await until("its wake-up is refused", async () => (await wakeups("failed")) > 0);
    // After a failure the sweeper restores the stream's configuration before it reads the stream.
    await until("it is in the stream", async () => (await queuedSessions(bus)).has(second));
  });

  it("deletes expired idempotency keys, and no others", async () => {
    const post = async (key: string) =>
      api.raw("POST", "/api/v1/alerts", {
        body: Buffer.from('{"data":"x"}'),
        headers: { "content-type": "application/json", "idempotency-key": key },
      });
    await post("old");
    await api.servers.query("UPDATE idempotency_keys SET expires_at = now() - interval '1 s'", []);
    await post("young");
    const left = async () =>
      api.servers.query("SELECT expires_at > now() AS valid FROM idempotency_keys", []);
    expect(await left()).to.have.length(2);
    api.cleanUp();
    await until("one is left", async () => (await left()).length === 1);
    expect(await left()).to.deep.equal([{ valid: true }]);
  });
});
