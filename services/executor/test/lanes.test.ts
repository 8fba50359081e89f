import { join } from "node:path";
import { expect } from "chai";
import { ensureDurables } from "#shared/bus/ensure-streams.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, type SessionLane } from "#shared/contracts/subjects.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { writeScript } from "../../../test/support/write-script.ts";
import { claimSession } from "../claim-session.ts";
import { consumeSessions } from "../consume-sessions.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { TestGateway } from "./test-gateway.ts";

/** The lanes of these sessions in the order of their starts, and how many ran at once at most. */
const STARTS = `
SELECT lane FROM alert_sessions WHERE session_id = ANY($1) ORDER BY started_at`;
const MOST_AT_ONCE = `
SELECT max(running)::int AS most FROM (
  SELECT count(*) AS running FROM alert_sessions one JOIN alert_sessions other
    ON other.started_at <= one.started_at AND other.completed_at > one.started_at
  WHERE one.session_id = ANY($1) AND other.session_id = ANY($1)
  GROUP BY one.session_id) counted`;

describe("lanes of sessions", () => {
  const resources = new AsyncDisposableStack();
  let executor: ExecutorFixture;
  let configDir: string;

  before(async () => {
    const directory = resources.use(await testConfigDirectory());
    configDir = directory.path;
    const gateway = resources.use(await TestGateway.start(configDir));
    executor = resources.use(await ExecutorFixture.start({ gateway: gateway.address }));
  });
  after(() => resources.disposeAsync());

  const play = async (...steps: object[]) => writeScript(join(configDir, "script.yaml"), [{ steps }]);
  const insert = async (lane: SessionLane) => {
    const id = await executor.insert();
    await executor.query("UPDATE alert_sessions SET lane = $2 WHERE session_id = $1", [id, lane]);
    return id;
  };
  const insertMany = async (lane: SessionLane, count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await insert(lane));
    return ids;
  };
  const wake = async (ids: readonly string[], lane: SessionLane) => {
    for (const id of ids) await wakeSession(executor.bus, id, lane);
  };
  /** Several executors with the given places, as the configuration of all of them says. */
  const consume = async (places: number, executors = 1) => {
    await ensureDurables(executor.bus, { maxSessions: places, maxFollowups: 2 });
    const stop = new AbortController();
    const done = Array.from({ length: executors }, async (_, index) => {
      const config = { ...executor.deps.config, podId: `pod-${index}`, maxRunning: places, slots: places };
      await consumeSessions({ ...executor.deps, config }, stop.signal);
    });
    return async () => {
      stop.abort();
      await Promise.all(done);
    };
  };
  const status = async (id: string) => JSON.stringify(await executor.row("alert_sessions", "status", id));
  const allAre = async (ids: readonly string[], wanted: string) =>
    until(`all are ${wanted}`, async () =>
      (await Promise.all(ids.map(status))).every((text) => text.includes(wanted)),
    );
  const queueIsEmpty = async () =>
    until("the queue is empty", async () => (await queuedSessions(executor.bus)).size === 0);
  const durable = async () => executor.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);

  it("start in their order whichever wake-up comes first, with a place for each, and never above the limit", async () => {
    await play({ delay: "1s" }, { text: "done" });
    const normal = await insertMany("normal", 9);
    const critical = await insertMany("critical", 1);
    const low = await insertMany("low", 2);
    await wake(normal, "normal");
    await wake(low, "low");
    await wake(critical, "critical");
    const stop = await consume(3, 2);
    const ids = [...normal, ...critical, ...low];
    await allAre(ids, "completed");
    const starts = await executor.query(STARTS, [ids]);
    // Each lane gets one of the first three places, although the wake-ups of low and critical are the last ones.
    expect(starts.slice(0, 3)).to.have.deep.members(["critical", "normal", "low"].map((lane) => ({ lane })));
    expect(await executor.query(MOST_AT_ONCE, [ids])).to.deep.equal([{ most: 3 }]);
    await queueIsEmpty();
    await stop();
  });

  it("starve none with one place", async () => {
    await play({ text: "done" });
    const critical = await insertMany("critical", 8);
    const low = await insertMany("low", 2);
    await wake(critical, "critical");
    await wake(low, "low");
    const stop = await consume(1);
    const ids = [...critical, ...low];
    await allAre(ids, "completed");
    const starts = await executor.query(STARTS, [ids]);
    const lowAt = starts.flatMap((row, index) => (JSON.stringify(row).includes('"low"') ? [index] : []));
    expect(lowAt).to.have.length(2);
    expect(Number(lowAt[0])).to.be.below(4);
    expect(Number(lowAt[1]) - Number(lowAt[0])).to.equal(4);
    await queueIsEmpty();
    await stop();
  });

  /** A session that runs on another executor in the place of `place`. */
  const runElsewhere = async (id: string, place: string) => {
    const claim = await claimSession(executor.db, id, "other-pod", {
      natsUpMs: Infinity,
      postgresCounts: false,
      place,
    });
    expect(claim.kind).to.equal("claimed");
  };
  const loseOwner = async (id: string) =>
    executor.query(
      "UPDATE session_runtime SET lease_expires_at = now() - interval '1 s' WHERE session_id = $1",
      [id],
    );

  it("go on first after the loss of an owner that ran them in another's place", async () => {
    await play({ text: "done" });
    const [lender, borrower] = [await insert("normal"), await insert("normal")];
    await runElsewhere(borrower, lender);
    await loseOwner(borrower);
    // The borrower's own wake-up may be behind many others.
    await wake([lender], "normal");
    const stop = await consume(1);
    await allAre([lender, borrower], "completed");
    const [first] = await executor.query(
      "SELECT session_id FROM alert_sessions WHERE session_id = ANY($1) ORDER BY completed_at LIMIT 1",
      [[lender, borrower]],
    );
    expect(first).to.deep.equal({ session_id: borrower });
    await queueIsEmpty();
    await stop();
  });

  it("use the wake-up of a session that runs in another's place as a free place, until nothing waits", async () => {
    await play({ text: "done" });
    const [lender, borrower] = [await insert("low"), await insert("critical")];
    await runElsewhere(borrower, lender);
    await wake([borrower], "critical");
    const stop = await consume(2);
    await allAre([lender], "completed");
    // Nothing waits any more: the wake-up is acknowledged, while its session runs on.
    await queueIsEmpty();
    expect(await status(borrower)).to.include("in_progress");
    await stop();
    await executor.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [borrower],
    );
  });

  it("do not use a wake-up that is delivered again while another session runs in its place", async () => {
    await play({ text: "done" });
    const [lender, borrower] = [await insert("normal"), await insert("critical")];
    await runElsewhere(borrower, lender);
    await wake([lender], "normal");
    const before = (await durable()).delivered.consumer_seq;
    const stop = await consume(3);
    await until("it was delivered and refused", async () => {
      const { delivered, num_ack_pending, num_waiting } = await durable();
      return delivered.consumer_seq === before + 1 && num_ack_pending === 1 && num_waiting > 0;
    });
    expect(await status(lender)).to.include("pending");
    await stop();
    expect(await status(lender)).to.include("pending");
    await executor.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = ANY($1)",
      [[lender, borrower]],
    );
  });

  /** A session of the lane that is parked, and the time of which the next one is older. */
  const insertParked = async (lane: SessionLane, waitsFor: "place" | "person" = "place") => {
    const id = await insert(lane);
    await executor.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [id],
    );
    await executor.query(
      `UPDATE session_runtime SET park_requested_at = now(), park_by = 'priority', parked_at = now(), not_before = 'infinity',
         park_until = CASE WHEN $2 THEN now() + interval '7 days' END, lease_epoch = 1, place_id = session_id WHERE session_id = $1`,
      [id, waitsFor === "person"],
    );
    return id;
  };

  it("let a parked session go on after the critical ones, and before others of its lane", async () => {
    await play({ text: "done" });
    const low = await insert("low");
    const [parked, held] = [await insertParked("low"), await insertParked("low", "person")];
    const critical = await insertMany("critical", 2);
    await wake([low], "low");
    await wake([held, parked], "low");
    await wake(critical, "critical");
    const stop = await consume(1);
    await allAre([low, parked, ...critical], "completed");
    const order = await executor.query(
      "SELECT session_id FROM alert_sessions WHERE session_id = ANY($1) ORDER BY completed_at",
      [[low, parked, ...critical]],
    );
    expect(order).to.deep.equal([...critical, parked, low].map((session_id) => ({ session_id })));
    expect(await status(held)).to.include("in_progress");
    await queueIsEmpty();
    await stop();
  });

  it("count it as a start that a parked session goes on, so that the next one of its lane waits for its turn", async () => {
    await play({ text: "done" });
    const parked = [await insertParked("low"), await insertParked("low")];
    const critical = await insertMany("critical", 9);
    await wake(critical, "critical");
    await wake(parked, "low");
    const stop = await consume(1);
    const ids = [...critical, ...parked];
    await allAre(ids, "completed");
    const order = await executor.query(
      "SELECT lane FROM alert_sessions WHERE session_id = ANY($1) ORDER BY completed_at",
      [ids],
    );
    const lowAt = order.flatMap((row, index) => (JSON.stringify(row).includes('"low"') ? [index] : []));
    expect(lowAt).to.have.length(2);
    expect(Number(lowAt[1]) - Number(lowAt[0])).to.equal(4);
    await queueIsEmpty();
    await stop();
  });

  it("start a critical session before one of a lower lane that was put off, and keep the lower lane's place", async () => {
    await play({ text: "done" });
    const due = await insert("low");
    await executor.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [due],
    );
    await executor.query(
      "UPDATE session_runtime SET not_before = now(), lease_epoch = 1, place_id = session_id WHERE session_id = $1",
      [due],
    );
    const critical = await insertMany("critical", 5);
    await wake(critical, "critical");
    const stop = await consume(1);
    await allAre([due, ...critical], "completed");
    const order = await executor.query(
      "SELECT session_id FROM alert_sessions WHERE session_id = ANY($1) ORDER BY completed_at",
      [[due, ...critical]],
    );
    expect(order[0]).to.deep.equal({ session_id: critical[0] });
    await queueIsEmpty();
    await stop();
  });
});
