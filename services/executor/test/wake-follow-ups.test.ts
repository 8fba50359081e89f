import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { FOLLOWUPS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { CancelledError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { consumeQueue } from "../consume-queue.ts";
import { consumeSessions } from "../consume-sessions.ts";
import { unqueuedFollowUps } from "../unqueued-sessions.ts";
import { openFollowUpWaker } from "../follow-ups/wake-follow-ups.ts";
import { ask, type Asked } from "./follow-up-fixture.ts";
import { RunFixture } from "./run-fixture.ts";

/** No api runs here, hence no sweeper: a wake-up that is lost stays lost. */
describe("the wake-up of a follow-up", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    await fixture.play(
      { when: { contains: "Judge of Investigations" }, steps: [{ text: "Good work.\nTAGS: none\n80" }] },
      { steps: [{ text: "it was the memory" }] },
    );
  });
  after(() => resources.disposeAsync());

  /** Runs `consume` until disposed. */
  const consuming = (consume: (stop: AbortSignal) => Promise<void>): AsyncDisposable => {
    const stop = new AbortController();
    const done = consume(stop.signal);
    return {
      [Symbol.asyncDispose]: async () => {
        stop.abort(new CancelledError("shutdown", "stopped by SIGTERM"));
        await done;
      },
    };
  };
  const ended = async (): Promise<string> => {
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };
  const isDone = async ({ followUpId }: Pick<Asked, "followUpId">): Promise<boolean> => {
    const sql = "SELECT 1 FROM follow_ups WHERE follow_up_id = $1 AND status = 'completed'";
    return (await fixture.executor.query(sql, [followUpId])).length === 1;
  };

  it("is sent again if the stream refused it because that of the work before was not acknowledged yet", async () => {
    const { deps, bus } = fixture.executor;
    const id = await ended();
    let asked: Asked | undefined;
    const woken: boolean[] = [];
    await using waker = openFollowUpWaker(deps);
    const health = { natsUpMs: () => Infinity, isRefused: () => false };
    const consumed = {
      queue: FOLLOWUPS_QUEUE,
      slots: 1,
      unqueued: unqueuedFollowUps(deps.db, 1),
      claimAlone: () => Promise.resolve(undefined),
      // Finds nothing to do; then a follow-up is asked for, and its wake-up meets the delivered one.
      choose: async (delivered: string) => {
        if (asked !== undefined) return { sessions: [delivered] };
        asked = await ask(fixture.executor, id);
        expect(asked.isOwned).to.equal(false);
        woken.push((await wakeSession(bus, id, "followup")) === "queued");
        return { sessions: [] };
      },
      inTurn: async <T>(work: () => Promise<T>) => work(),
      finished: (sessionId: string) => waker.look(sessionId),
      setRunning: () => undefined,
    };
    await wakeSession(bus, id, "followup");
    await using _ = consuming((stop) => consumeQueue(deps, consumed, health, stop));
    await until("the follow-up has ended", async () => asked !== undefined && (await isDone(asked)));
    expect(woken).to.deep.equal([false]);
  });

  it("arrives at whichever moment of the work before it is asked", async () => {
    await using _ = consuming((stop) => consumeSessions(fixture.executor.deps, stop));
    for (let n = 0; n < 12; n += 1) {
      const id = await ended();
      const first = await ask(fixture.executor, id);
      const seen = (await fixture.executor.events(id)).length;
      await wakeSession(fixture.executor.bus, id, "followup");
      // At another event each time, and at last when it is over.
      await until("so many events", async () => {
        const events = (await fixture.executor.events(id)).length;
        return events >= seen + n || (await isDone(first));
      });
      const second = await ask(fixture.executor, id, { kind: "score" });
      if (!second.isOwned) await wakeSession(fixture.executor.bus, id, "followup");
      await until(
        `the one that was asked at ${n} and the one before have ended`,
        async () => (await isDone(second)) && (await isDone(first)),
      );
    }
  });

  it("is sent by the executor that ends a session which is scored", async () => {
    await using _ = consuming((stop) => consumeSessions(fixture.executor.deps, stop));
    const id = await fixture.executor.insert({ isScored: true });
    await wakeSession(fixture.executor.bus, id);
    const sql = "SELECT status::text, total_score FROM session_scores WHERE session_id = $1";
    await until("the score is there", async () =>
      JSON.stringify(await fixture.executor.query(sql, [id])).includes("completed"),
    );
    expect(await fixture.executor.query(sql, [id])).to.deep.equal([{ status: "completed", total_score: 80 }]);
  });

  it("is left to the sweeper where NATS does not allow it", async () => {
    const id = await ended();
    await ask(fixture.executor, id);
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const { signal } = new AbortController();
    const url = fixture.executor.servers.natsUrl("tool-runner");
    await using bus = await openBus({ url, name: "not-allowed", log, signal });
    {
      await using waker = openFollowUpWaker({ bus, db: fixture.executor.db, log });
      waker.look(id);
    }
    expect(lines.join("")).to.include("no executor woken for follow-ups");
    expect((await queuedSessions(fixture.executor.bus, FOLLOWUPS_QUEUE)).has(id)).to.equal(false);
  });
});
