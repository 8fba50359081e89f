import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { pullSession, type SessionDelivery } from "#shared/bus/pull-session.ts";
import {
  EXECUTORS_DURABLE,
  FOLLOWUPS_STREAM,
  SESSIONS_STREAM,
  SESSION_LANES,
  SUBJECTS,
} from "#shared/contracts/subjects.ts";
import { FOLLOWUPS_QUEUE, SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { BusFixture } from "./bus-fixture.ts";

const { signal: never } = new AbortController();
const MAX_RUNNING = 3;

describe("the lanes of wake-ups", () => {
  let fixture: BusFixture;

  before(async () => {
    fixture = await BusFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await ensureStreams(fixture.bus, { replicas: 1 });
    for (const name of [SESSIONS_STREAM, FOLLOWUPS_STREAM]) await fixture.bus.jsm.streams.purge(name);
    await ensureDurables(fixture.bus, { maxSessions: MAX_RUNNING, maxFollowups: 2 });
  });

  const pull = async (): Promise<SessionDelivery> => {
    const delivery = await pullSession(fixture.bus, SESSIONS_QUEUE, never);
    if (delivery === null) throw new Error("nothing was delivered");
    return delivery;
  };
  const durable = async () => fixture.bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);

  describe("the lanes", () => {
    it("share one limit, which follow-ups do not count towards", async () => {
      const id = randomUUID();
      for (const lane of SESSION_LANES) {
        const session = randomUUID();
        const message = JSON.stringify({ session_id: session });
        await fixture.bus.js.publish(SUBJECTS.wakeUp(lane, session), message);
      }
      await wakeSession(fixture.bus, id);
      for (let n = 0; n < MAX_RUNNING; n++) await pull();
      expect(await durable()).to.include({ num_pending: 1, num_ack_pending: MAX_RUNNING });
      await wakeSession(fixture.bus, id, "followup");
      const followup = await pullSession(fixture.bus, FOLLOWUPS_QUEUE, never);
      expect(followup?.sessionId).to.equal(id);
      expect(await durable()).to.include({ num_pending: 1, num_ack_pending: MAX_RUNNING });
    });

    it("hold back the follow-ups above their own limit", async () => {
      const ids = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of ids) await wakeSession(fixture.bus, id, "followup");
      const pullFollowup = async () => pullSession(fixture.bus, FOLLOWUPS_QUEUE, never);
      const [first] = [await pullFollowup(), await pullFollowup()];
      const third = pullFollowup();
      await until("the pull waits", async () => {
        const { stream, durable: name } = FOLLOWUPS_QUEUE;
        return (await fixture.bus.jsm.consumers.info(stream, name)).num_waiting === 1;
      });
      await first?.ack();
      expect((await third)?.sessionId).to.equal(ids[2]);
    });
  });
});
