import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { FOLLOWUPS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { sessionCancelCodec } from "#shared/contracts/session-signals.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { CancelledError } from "#shared/errors.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { until } from "../../../test/support/until.ts";
import { consumeSessions } from "../consume-sessions.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { TestGateway } from "./test-gateway.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { writeScript } from "../../../test/support/write-script.ts";

/** How many of these sessions were in progress when one of them started, at most. */
const MOST_AT_ONCE = `
SELECT max(running)::int AS most FROM (
  SELECT count(*) AS running FROM alert_sessions one JOIN alert_sessions other
    ON other.started_at <= one.started_at AND other.completed_at > one.started_at
  WHERE one.session_id = ANY($1) AND other.session_id = ANY($1)
  GROUP BY one.session_id) counted`;

describe("consumeSessions", () => {
  const resources = new AsyncDisposableStack();
  let executor: ExecutorFixture;
  let gateway: TestGateway;
  let configDir: string;

  before(async () => {
    const directory = resources.use(await testConfigDirectory());
    configDir = directory.path;
    gateway = resources.use(await TestGateway.start(configDir));
    executor = resources.use(await ExecutorFixture.start({ gateway: gateway.address }));
  });
  after(() => resources.disposeAsync());

  const play = async (...steps: object[]) => writeScript(join(configDir, "script.yaml"), [{ steps }]);
  /** Consumes until disposed. */
  const consume = (deps: ExecutorDeps = executor.deps) => {
    const stop = new AbortController();
    const done = consumeSessions(deps, stop.signal);
    return {
      stop: async () => {
        stop.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
        await done;
      },
    };
  };
  const status = async (id: string) => JSON.stringify(await executor.row("alert_sessions", "status", id));
  const has = async (id: string, wanted: string) =>
    until(`${id} is ${wanted}`, async () => (await status(id)).includes(wanted));
  const queueIsEmpty = async () =>
    until("the queue is empty", async () => (await queuedSessions(executor.bus)).size === 0);

  it("runs one session per slot concurrently and acknowledges each wake-up", async () => {
    await play({ delay: "4s" }, { text: "done" });
    const ids = await Promise.all(Array.from({ length: 8 }, async () => executor.insert()));
    for (const id of ids) await wakeSession(executor.bus, id);
    const consumer = consume();
    await until("all are completed", async () =>
      (await Promise.all(ids.map(status))).every((text) => text.includes("completed")),
    );
    expect(await executor.query(MOST_AT_ONCE, [ids])).to.deep.equal([{ most: 5 }]);
    await queueIsEmpty();
    await consumer.stop();
  });

  it("waits, logging it once, until the api has created a missing queue", async () => {
    await play({ text: "done" });
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
    const warned = () => lines.filter((line) => line.includes("waiting until the api has created it"));
    await executor.bus.jsm.streams.delete(SESSIONS_STREAM);
    const consumer = consume({ ...executor.deps, log });
    await until("it has warned", () => warned().length > 0);
    await executor.prepareQueue();
    const id = await executor.insert();
    await wakeSession(executor.bus, id);
    await has(id, "completed");
    expect(warned()).to.have.length(1);
    expect(lines.join("")).to.include("connected to the queue");
    // It waits again, and stops while it waits.
    await executor.bus.jsm.streams.delete(SESSIONS_STREAM);
    await until("it has warned again", () => warned().length > 1);
    await consumer.stop();
    await executor.prepareQueue();
  });

  it("acknowledges the wake-ups of a finished and of a deferred session", async () => {
    const [over, waiting] = [await executor.insert(), await executor.insert()];
    await executor.query(
      "UPDATE alert_sessions SET status = 'cancelled', completed_at = now() WHERE session_id = $1",
      [over],
    );
    await executor.query(
      "UPDATE session_runtime SET not_before = now() + interval '1 h' WHERE session_id = $1",
      [waiting],
    );
    for (const id of [over, waiting]) await wakeSession(executor.bus, id);
    const consumer = consume();
    await queueIsEmpty();
    await consumer.stop();
    expect(await status(waiting)).to.include("pending");
  });

  it("takes follow-ups while all places of sessions are in use", async () => {
    await play({ text: "so far" }, { hang: true });
    const ids = await Promise.all(Array.from({ length: 5 }, async () => executor.insert()));
    const over = await executor.insert();
    await executor.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [over],
    );
    for (const id of ids) await wakeSession(executor.bus, id);
    const consumer = consume();
    for (const id of ids) await has(id, "in_progress");
    await wakeSession(executor.bus, over, "followup");
    // It has none, so that its wake-up is acknowledged.
    const followups = async () => queuedSessions(executor.bus, FOLLOWUPS_QUEUE);
    await until("its wake-up is acknowledged", async () => (await followups()).size === 0);
    for (const id of ids) {
      expect(await status(id)).to.include("in_progress");
      await executor.cancel(id);
      executor.bus.connection.publish(SUBJECTS.cancel(id), sessionCancelCodec.encode({ session_id: id }));
    }
    await queueIsEmpty();
    await consumer.stop();
  });

  it("does not acknowledge the wake-up of a session that another executor owns", async () => {
    const id = await executor.insert();
    await executor.claim(id);
    await wakeSession(executor.bus, id);
    const consumer = consume();
    await until("it was delivered", async () => {
      const info = await executor.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
      return info.num_ack_pending === 1;
    });
    await consumer.stop();
    expect((await queuedSessions(executor.bus)).has(id)).to.equal(true);
    expect(await executor.row("session_runtime", "lease_epoch", id)).to.deep.equal({ lease_epoch: 1 });
    await executor.bus.jsm.streams.purge(SESSIONS_STREAM);
  });

  it("cancels a running session on a cancel message", async () => {
    await play({ text: "so far" }, { hang: true });
    const id = await executor.insert();
    await wakeSession(executor.bus, id);
    const consumer = consume();
    await until("it streams", async () => (await executor.events(id)).length === 6);
    await executor.cancel(id);
    executor.bus.connection.publish(SUBJECTS.cancel(id), sessionCancelCodec.encode({ session_id: id }));
    await has(id, "cancelled");
    await queueIsEmpty();
    await consumer.stop();
  });

  it("releases its sessions when it is stopped, and another executor continues them immediately", async () => {
    await play({ text: "so far" }, { delay: "4s" }, { text: " and on" });
    const id = await executor.insert();
    await wakeSession(executor.bus, id);
    const first = consume();
    await until("it streams", async () => (await executor.events(id)).length === 6);
    const stopped = first.stop();
    await using other = new AsyncDisposableStack();
    const second = consume(await executor.another(other, gateway.address));
    await stopped;
    await has(id, "completed");
    await second.stop();
    expect(await executor.row("session_runtime", "attempts, lease_epoch", id)).to.deep.equal({
      attempts: 0,
      lease_epoch: 2,
    });
    const calls = await executor.query(
      "SELECT interaction_type AS type FROM llm_interactions WHERE session_id = $1 ORDER BY created_at",
      [id],
    );
    expect(calls).to.deep.equal([{ type: "iteration" }, { type: "executive_summary" }]);
  });

  /** A session that was started and put off until now. */
  const putOff = async () => {
    const id = await executor.insert();
    await executor.claim(id);
    await executor.query(
      "UPDATE session_runtime SET lease_expires_at = NULL, lease_owner = NULL, not_before = now() WHERE session_id = $1",
      [id],
    );
    return id;
  };

  it("runs an older session that was put off before one that has not been started", async () => {
    await play({ text: "done" });
    const older = await putOff();
    const newer = await executor.insert();
    await wakeSession(executor.bus, newer);
    const consumer = consume();
    await has(newer, "completed");
    await consumer.stop();
    const [row] = await executor.query(
      `SELECT a.completed_at < b.started_at AS in_order FROM alert_sessions a, alert_sessions b
       WHERE a.session_id = $1 AND b.session_id = $2`,
      [older, newer],
    );
    expect(row).to.deep.equal({ in_order: true });
    await queueIsEmpty();
  });

  it("uses the wake-up of a session that runs in another's place as a place for that one", async () => {
    await play({ text: "so far" }, { delay: "6s" }, { text: " and on" });
    const older = await putOff();
    const newer = await executor.insert();
    await wakeSession(executor.bus, newer);
    const consumer = consume();
    await until("the older one runs", async () => (await executor.events(older)).length > 4);
    expect(await status(newer)).to.include("pending");
    await wakeSession(executor.bus, older);
    await until("the newer one runs beside it", async () => (await status(newer)).includes("in_progress"));
    expect(await status(older)).to.include("in_progress");
    await has(newer, "completed");
    await queueIsEmpty();
    await consumer.stop();
  });

  it("starts no session while no gateway can be reached, but ends a cancelled one", async () => {
    await play({ text: "done" });
    await using other = new AsyncDisposableStack();
    const cutOff = await executor.another(other, "127.0.0.1:1");
    const fresh = await executor.insert();
    const cancelled = await executor.insert();
    await executor.claim(cancelled);
    await executor.cancel(cancelled);
    await executor.query("UPDATE session_runtime SET lease_expires_at = NULL WHERE session_id = $1", [
      cancelled,
    ]);
    const deliveries = async () => {
      const info = await executor.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
      return info.delivered.consumer_seq;
    };
    const before = await deliveries();
    await wakeSession(executor.bus, fresh);
    const consumer = consume(cutOff);
    await has(cancelled, "cancelled");
    // First for the cancelled session, then in vain for its own, and again.
    await until("it was delivered three times", async () => (await deliveries()) >= before + 3);
    expect(await status(fresh)).to.include("pending");
    await consumer.stop();
    const able = consume();
    await has(fresh, "completed");
    await able.stop();
  });

  it("recovers when its durable or its stream was deleted and the api has created them again", async () => {
    await play({ text: "done" });
    const consumer = consume();
    await until("it pulls", async () => {
      const info = await executor.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
      return info.num_waiting === 1;
    });
    await executor.bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
    await executor.prepareQueue();
    const first = await executor.insert();
    await wakeSession(executor.bus, first);
    await has(first, "completed");
    await executor.bus.jsm.streams.delete(SESSIONS_STREAM);
    await executor.prepareQueue();
    const second = await executor.insert();
    await wakeSession(executor.bus, second);
    await has(second, "completed");
    await consumer.stop();
  });

  it("stops immediately when it is idle", async () => {
    const consumer = consume();
    await until("it pulls", async () => {
      const info = await executor.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
      return info.num_waiting > 0;
    });
    await consumer.stop();
  });
});
