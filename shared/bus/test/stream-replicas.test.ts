import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { EVENTS_STREAM, FOLLOWUPS_STREAM, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { NatsCluster } from "../../../test/support/nats-cluster.ts";
import { until } from "../../../test/support/until.ts";
import { wakeSession } from "../../../test/support/wake-session.ts";
import { BusFixture } from "./bus-fixture.ts";

describe("ensureStreams with three replicas", () => {
  it("creates streams on a server without a cluster, keeps those that exist, and says what they lack", async () => {
    await using fixture = await BusFixture.start({ ownServers: true });
    const { bus } = fixture;
    for (const name of [SESSIONS_STREAM, FOLLOWUPS_STREAM, EVENTS_STREAM]) {
      await bus.jsm.streams.delete(name).catch(() => false);
    }
    const id = randomUUID();
    for (const time of ["created", "kept"]) {
      const sentences = await ensureStreams(bus, { replicas: 3 });
      expect(sentences, time).to.have.length(3);
      expect(sentences[0], time).to.match(
        /^the stream SESSIONS has 1 of 3 replicas \(.+\): start all servers of the cluster, or set NATS_REPLICAS=1$/u,
      );
      await ensureDurables(bus, { maxSessions: 1, maxFollowups: 2 });
      if (time === "created") await wakeSession(bus, id);
    }
    expect((await queuedSessions(bus)).has(id)).to.equal(true);
    await bus.jsm.streams.update(SESSIONS_STREAM, { max_msgs: 7 });
    await ensureStreams(bus, { replicas: 3 });
    const { config } = await bus.jsm.streams.info(SESSIONS_STREAM);
    expect(config).to.include({ max_msgs: 1_000_000, num_replicas: 1 });
  });

  it("converts the streams of one server once it belongs to a cluster, with what they hold", async () => {
    await using cluster = await NatsCluster.start();
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
    const { signal } = new AbortController();
    await using bus = await openBus({ url: cluster.url("test"), name: "replicas-test", log, signal });
    await until("the cluster has a leader", async () => {
      await ensureStreams(bus, { replicas: 1 });
      return true;
    });
    await ensureDurables(bus, { maxSessions: 1, maxFollowups: 2 });
    const id = randomUUID();
    // A cluster answers that a stream is made before the stream's server listens to its subjects.
    await until("the stream takes a wake-up", async () => {
      await wakeSession(bus, id);
      return true;
    });

    await until("all servers take part", async () => {
      const sentences = await ensureStreams(bus, { replicas: 3, log });
      return sentences.length === 0;
    });
    for (const name of [SESSIONS_STREAM, FOLLOWUPS_STREAM, EVENTS_STREAM]) {
      expect((await bus.jsm.streams.info(name)).config, name).to.include({ num_replicas: 3 });
      expect(lines.filter((line) => line.includes("other replicas") && line.includes(name))).to.have.length(
        1,
      );
    }
    expect((await queuedSessions(bus)).has(id)).to.equal(true);
  });
});
