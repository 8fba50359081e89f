import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { SessionWaker } from "#shared/bus/session-waker.ts";
import { SESSIONS_STREAM, lastToken } from "#shared/contracts/subjects.ts";
import { FOLLOWUPS_QUEUE, type WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { BusFixture } from "./bus-fixture.ts";

describe("SessionWaker", () => {
  let fixture: BusFixture;
  let waker: SessionWaker;

  before(async () => {
    fixture = await BusFixture.start({ ownServers: true });
    waker = new SessionWaker(fixture.bus);
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await ensureStreams(fixture.bus, { replicas: 1 });
    await fixture.bus.jsm.streams.purge(SESSIONS_STREAM);
  });

  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
  const wakeUps = (sessionIds: readonly string[]): WakeUp[] =>
    sessionIds.map((sessionId) => ({ sessionId, lane: "normal" }));
  /** The sessions in the stream, in its order. */
  const stream = async (): Promise<string[]> => {
    const { state } = await fixture.bus.jsm.streams.info(SESSIONS_STREAM);
    const found: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      found.push(lastToken((await fixture.bus.jsm.streams.getMessage(SESSIONS_STREAM, { seq })).subject));
    }
    return found;
  };

  it("publishes a burst in its order and gives each session its own result", async () => {
    const [first, ...rest] = ids(50);
    expect(await waker.wake(wakeUps([String(first)]))).to.deep.equal(["queued"]);
    const burst = [...rest.slice(0, 20), String(first), ...rest.slice(20)];
    const results = await waker.wake(wakeUps(burst));
    expect(results.map((result, index) => [burst[index], result])).to.deep.equal(
      burst.map((id) => [id, id === first ? "already_queued" : "queued"]),
    );
    expect(await stream()).to.deep.equal([first, ...rest]);
    expect(await waker.wake([])).to.deep.equal([]);
  });

  it("tells bursts that overlap apart", async () => {
    const [a, b] = [ids(30), ids(30)];
    const both = await Promise.all([waker.wake(wakeUps(a)), waker.wake(wakeUps([...b, ...a.slice(0, 1)]))]);
    expect(both.map((results) => results.filter((result) => result === "queued").length)).to.deep.equal([
      30, 30,
    ]);
    expect(both[1].at(-1)).to.equal("already_queued");
  });

  it("publishes follow-ups to a stream of their own, beside the session's other wake-up", async () => {
    const [id = ""] = ids(1);
    const both: WakeUp[] = [
      { sessionId: id, lane: "normal" },
      { sessionId: id, lane: "followup" },
    ];
    expect(await waker.wake([...both, ...both])).to.deep.equal([
      "queued",
      "queued",
      "already_queued",
      "already_queued",
    ]);
    expect(await stream()).to.deep.equal([id]);
    expect(await queuedSessions(fixture.bus, FOLLOWUPS_QUEUE)).to.deep.equal(new Set([id]));
  });

  it("reports those that a full stream refused", async () => {
    const { config } = await fixture.bus.jsm.streams.info(SESSIONS_STREAM);
    await fixture.bus.jsm.streams.update(SESSIONS_STREAM, { ...config, max_msgs: 2 });
    const results = await waker.wake(wakeUps(ids(4)));
    expect(results.slice(0, 2)).to.deep.equal(["queued", "queued"]);
    for (const result of results.slice(2)) {
      expect(result).to.include({
        code: "stream_full",
        message: "the stream refused a wake-up: maximum messages exceeded",
      });
    }
  });

  it("reports all when the stream is missing, and when the connection is lost", async () => {
    await fixture.bus.jsm.streams.delete(SESSIONS_STREAM);
    const refused = await waker.wake(wakeUps(ids(2)));
    expect(refused).to.have.length(2);
    for (const result of refused) expect(result).to.include({ code: "stream_missing" });
    await using other = await fixture.connect();
    const onOther = new SessionWaker(other);
    await other.connection.close();
    for (const result of await onOther.wake(wakeUps(ids(2)))) expect(result).to.be.instanceOf(Error);
  });
});
