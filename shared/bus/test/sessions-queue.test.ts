import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { ACK_WAIT_MS } from "#shared/contracts/durations.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { BusFixture } from "./bus-fixture.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";

const { signal: never } = new AbortController();
const MAX_RUNNING = 3;

describe("the session queue", () => {
  let fixture: BusFixture;

  before(async () => {
    fixture = await BusFixture.start({ ownServers: true });
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await ensureStreams(fixture.bus, { replicas: 1 });
    await fixture.bus.jsm.streams.purge(SESSIONS_STREAM);
    await ensureDurables(fixture.bus, { maxSessions: MAX_RUNNING, maxFollowups: 2 });
  });

  const pull = async (): Promise<SessionDelivery> => {
    const delivery = await pullSession(fixture.bus, SESSIONS_QUEUE, never);
    if (delivery === null) throw new Error("nothing was delivered");
    return delivery;
  };
  const durable = async () => fixture.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);

  describe("ensureStreams", () => {
    it("may be called concurrently and repeatedly", async () => {
      const { jsm } = fixture.bus;
      await jsm.streams.delete(SESSIONS_STREAM);
      await jsm.streams.delete("EVENTS");
      const buses = await Promise.all([fixture.connect(), fixture.connect(), fixture.connect()]);
      await Promise.all(buses.map(async (bus) => ensureStreams(bus, { replicas: 1 })));
      await ensureStreams(fixture.bus, { replicas: 1 });
      const { config } = await jsm.streams.info(SESSIONS_STREAM);
      expect(config).to.include({
        retention: "workqueue",
        discard: "new",
        discard_new_per_subject: true,
        max_msgs_per_subject: 1,
      });
    });

    it("updates no stream that has these settings", async () => {
      const updates: string[] = [];
      const watcher = await fixture.connect();
      const advisories = watcher.connection.subscribe("$JS.EVENT.ADVISORY.STREAM.UPDATED.>", {
        callback: (_, { subject }) => updates.push(subject),
      });
      await watcher.flush();
      await ensureStreams(fixture.bus, { replicas: 1 });
      await ensureStreams(fixture.bus, { replicas: 1 });
      await fixture.bus.jsm.streams.update(SESSIONS_STREAM, { max_msgs: 7 });
      await until("the test's own update is reported", () => updates.length > 0);
      await watcher.flush();
      expect(updates).to.have.length(1);
      advisories.unsubscribe();
    });

    it("updates a stream with other settings and keeps its messages", async () => {
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      const { jsm } = fixture.bus;
      await jsm.streams.update(SESSIONS_STREAM, { max_msgs: 7 });
      await ensureStreams(fixture.bus, { replicas: 1 });
      expect((await jsm.streams.info(SESSIONS_STREAM)).config).to.include({ max_msgs: 1_000_000 });
      expect((await queuedSessions(fixture.bus)).has(id)).to.equal(true);
    });
  });

  describe("ensureDurables", () => {
    it("may be called concurrently and repeatedly, and applies a changed limit", async () => {
      await fixture.bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
      const buses = await Promise.all([fixture.connect(), fixture.connect(), fixture.connect()]);
      await Promise.all(buses.map(async (bus) => ensureDurables(bus, { maxSessions: 4, maxFollowups: 2 })));
      await ensureDurables(fixture.bus, { maxSessions: 4, maxFollowups: 2 });
      expect((await durable()).config).to.include({ max_ack_pending: 4, max_deliver: -1 });
      await ensureDurables(fixture.bus, { maxSessions: 9, maxFollowups: 2 });
      expect((await durable()).config).to.include({ max_ack_pending: 9, ack_wait: ACK_WAIT_MS * 1_000_000 });
    });
  });

  describe("wakeSession", () => {
    it("is refused while a wake-up is queued or delivered, and free again right after the ack", async () => {
      const id = randomUUID();
      for (let round = 0; round < 20; round++) {
        expect(await wakeSession(fixture.bus, id)).to.equal("queued");
        expect(await wakeSession(fixture.bus, id)).to.equal("already_queued");
        const delivery = await pull();
        expect(await wakeSession(fixture.bus, id)).to.equal("already_queued");
        await delivery.ack();
      }
    });

    it("is refused while a nak delays the wake-up", async () => {
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      (await pull()).nak(60_000);
      await fixture.bus.connection.flush();
      expect(await wakeSession(fixture.bus, id)).to.equal("already_queued");
    });

    it("rejects when the stream is full, which is not the same as queued", async () => {
      await fixture.bus.jsm.streams.update(SESSIONS_STREAM, { max_msgs: 1 });
      expect(await wakeSession(fixture.bus, randomUUID())).to.equal("queued");
      const error = await wakeSession(fixture.bus, randomUUID()).catch((thrown: unknown) => thrown);
      expect(error).to.include({
        code: "stream_full",
        message: "the stream refused a wake-up: maximum messages exceeded",
      });
    });
  });

  describe("queuedSessions", () => {
    it("lists what is queued, delivered and delayed, and nothing else", async () => {
      expect(await queuedSessions(fixture.bus)).to.deep.equal(new Set());
      const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      for (const id of ids) await wakeSession(fixture.bus, id);
      await (await pull()).ack();
      (await pull()).nak(60_000);
      await pull();
      expect(await queuedSessions(fixture.bus)).to.deep.equal(new Set(ids.slice(1)));
    });
  });

  describe("pullSession", () => {
    it("delivers up to the cluster's limit, and the next one after an acknowledgement", async () => {
      const ids = Array.from({ length: MAX_RUNNING + 1 }, () => randomUUID());
      for (const id of ids) await wakeSession(fixture.bus, id);
      const [first] = [await pull(), await pull(), await pull()];
      expect((await durable()).num_pending).to.equal(1);
      const waiting = pull();
      await first.ack();
      expect((await waiting).sessionId).to.equal(ids.at(-1));
    });

    it("delivers again after a nak", async () => {
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      (await pull()).nak();
      expect((await pull()).sessionId).to.equal(id);
    });

    it("delivers again no earlier than the delay of a nak, also if that has no whole number of nanoseconds", async () => {
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      const delivery = await pull();
      const delayMs = 1_500 + 1 / 3;
      const refusedAt = performance.now();
      delivery.nak(delayMs);
      const again = await until("it is delivered again", () =>
        pullSession(fixture.bus, SESSIONS_QUEUE, never),
      );
      expect(again.sessionId).to.equal(id);
      expect(performance.now() - refusedAt).to.be.at.least(delayMs);
    });

    it("resolves null immediately when it is aborted, and takes no message afterwards", async () => {
      const stop = new AbortController();
      const pulling = pullSession(fixture.bus, SESSIONS_QUEUE, stop.signal);
      await until("the pull waits", async () => (await durable()).num_waiting === 1);
      stop.abort();
      expect(await pulling).to.equal(null);
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      expect((await pull()).sessionId).to.equal(id);
      expect(await pullSession(fixture.bus, SESSIONS_QUEUE, stop.signal)).to.equal(null);
    });

    it("terminates, logs and reports a message that is not a wake-up", async () => {
      let poison = 0;
      const other = randomUUID();
      for (const [subject, message] of [
        [SUBJECTS.wakeUp("normal", other), "not a wake-up"],
        [SUBJECTS.wakeUp("normal", other), JSON.stringify({ session_id: randomUUID() })],
        [SUBJECTS.wakeUp("critical", other), JSON.stringify({ session_id: randomUUID() })],
      ] as const) {
        await fixture.bus.js.publish(subject, message);
        expect(await pullSession(fixture.bus, SESSIONS_QUEUE, never, () => (poison += 1))).to.equal(null);
        await until("it is gone", async () => (await queuedSessions(fixture.bus)).size === 0);
      }
      expect(poison).to.equal(3);
      expect(fixture.logged.some((line) => line.includes("poison message terminated"))).to.equal(true);
    });

    it("rejects when the durable is deleted under it", async () => {
      const pulling = pullSession(fixture.bus, SESSIONS_QUEUE, never).then(
        () => "resolved",
        () => "rejected",
      );
      await until("the pull waits", async () => (await durable()).num_waiting === 1);
      await fixture.bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
      expect(await pulling).to.equal("rejected");
    });

    it("does not acknowledge after a change of server, where it could touch another session's message", async () => {
      const id = randomUUID();
      await wakeSession(fixture.bus, id);
      const delivery = await pull();
      const server = fixture.servers.nats.serverId;
      await fixture.servers.killNats();
      await fixture.servers.restartNats();
      expect(fixture.servers.nats.serverId).to.not.equal(server);
      await until("the connection is back", async () => {
        await fixture.bus.check();
        return true;
      });
      await delivery.ack();
      await fixture.bus.connection.flush();
      expect(await wakeSession(fixture.bus, id)).to.equal("already_queued");
    });
  });
});
