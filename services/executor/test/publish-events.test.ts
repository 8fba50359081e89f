import { expect } from "chai";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { publishEvent, lastPublishedSeq } from "#shared/bus/publish-event.ts";
import { EVENTS_STREAM } from "#shared/contracts/subjects.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { until } from "../../../test/support/until.ts";
import { openEventPublisher } from "../stream/publish-events.ts";
import { ExecutorFixture, type Heard } from "./executor-fixture.ts";

describe("openEventPublisher", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start({ ownServers: true });
  });
  after(() => executor[Symbol.asyncDispose]());

  /** Commits events of a session without publishing them. */
  const append = async (id: string, count: number): Promise<SessionEvent[]> => {
    const payload: UnstampedPayload = {
      type: "session.status",
      session_id: id,
      status: "in_progress",
    };
    const events = await executor.db.transaction(async (manager) =>
      appendEvents(
        manager,
        id,
        Array.from({ length: count }, () => payload),
      ),
    );
    return events ?? [];
  };
  const open = (sessionId: string, isFirstOwner: boolean) => {
    const { db, bus, log } = executor.deps;
    return openEventPublisher({ db, bus, log, sessionId, isFirstOwner });
  };
  const seqs = (heard: readonly Heard[]) =>
    heard.flatMap((message) => ("seq" in message ? [message.seq] : []));
  const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

  it("sends events in order", async () => {
    const id = await executor.insert();
    const heard = await executor.listen(id);
    await using publisher = open(id, true);
    publisher.publish(await append(id, 3));
    publisher.publish(await append(id, 2));
    await publisher.settled();
    await until("all have arrived", () => heard.length === 5);
    expect(seqs(heard)).to.deep.equal(upTo(5));
    await until("the stream has them", async () => (await lastPublishedSeq(executor.bus, id)) === 5);
  });

  it("sends the events of a commit together", async () => {
    const id = await executor.insert();
    const events = await append(id, 5);
    await using publisher = open(id, true);
    const { connection } = executor.deps.bus;
    const { outMsgs } = connection.stats();
    const sent = new Set<number>();
    publisher.publish(events);
    const settled = publisher.settled().then(() => "settled");
    do {
      sent.add(connection.stats().outMsgs - outMsgs);
    } while ((await Promise.race([settled, Promise.resolve("not yet")])) !== "settled");
    // Each is about the session as a whole, so that the feed gets it, too.
    expect([...sent]).to.deep.equal([0, 10]);
  });

  it("reads events that were committed elsewhere from their rows, page by page", async () => {
    const id = await executor.insert();
    const heard = await executor.listen(id);
    await using publisher = open(id, true);
    publisher.publish(await append(id, 1));
    await append(id, 250);
    publisher.publish(await append(id, 1));
    await until("all have arrived", () => heard.length === 252);
    expect(seqs(heard)).to.deep.equal(upTo(252));
  });

  it("sends no event twice if an older one is published late", async () => {
    const id = await executor.insert();
    const heard = await executor.listen(id);
    await using publisher = open(id, true);
    const [first, second] = [await append(id, 1), await append(id, 1)];
    publisher.publish(second);
    publisher.publish(first);
    publisher.publish(await append(id, 1));
    await until("all have arrived", () => heard.length === 3);
    expect(seqs(heard)).to.deep.equal(upTo(3));
  });

  it("continues after the last published event on a takeover", async () => {
    const id = await executor.insert();
    const [first, second] = await append(id, 4);
    for (const event of [first, second]) if (event !== undefined) publishEvent(executor.bus, event);
    await executor.bus.flush();
    const heard = await executor.listen(id);
    await using publisher = open(id, false);
    publisher.publish(await append(id, 1));
    await until("the rest has arrived", () => heard.length === 3);
    expect(seqs(heard)).to.deep.equal([3, 4, 5]);
  });

  it("starts at 1 on a takeover of a session without published events", async () => {
    const id = await executor.insert();
    await append(id, 2);
    const heard = await executor.listen(id);
    await using publisher = open(id, false);
    publisher.publish(await append(id, 1));
    await until("all have arrived", () => heard.length === 3);
    expect(seqs(heard)).to.deep.equal(upTo(3));
  });

  it("sends an event alone on a takeover while the stream cannot be asked", async () => {
    const id = await executor.insert();
    const heard = await executor.listen(id);
    await append(id, 2);
    await executor.bus.jsm.streams.delete(EVENTS_STREAM);
    await using publisher = open(id, false);
    publisher.publish(await append(id, 1));
    await until("the new one has arrived", () => heard.length === 1);
    expect(seqs(heard)).to.deep.equal([3]);
    await ensureStreams(executor.bus, { replicas: 1 });
  });

  it("never throws while NATS is down, and publishes again afterwards", async () => {
    const id = await executor.insert();
    await using publisher = open(id, false);
    await executor.servers.killNats();
    publisher.publish(await append(id, 1));
    await publisher.settled();
    await executor.servers.restartNats();
    const heard = await until("a listener connects", async () => executor.listen(id));
    await until("the executor is back", async () => {
      await executor.deps.bus.check();
      return true;
    });
    publisher.publish(await append(id, 1));
    // The first one arrives too if the listener was there before the executor's connection.
    await until("the new one has arrived", () => seqs(heard).at(-1) === 2);
  });
});
