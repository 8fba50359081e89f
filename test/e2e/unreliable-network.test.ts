import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { followSession } from "#shared/client/follow-session.ts";
import { followUnfiltered } from "../support/follow-unfiltered.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { lossyNatsRewrite } from "../support/lossy-nats-rewrite.ts";
import { describeNightly, repetitions, testSeed } from "../support/nightly.ts";
import { ReceivedTimeline } from "../support/received-timeline.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startNotifier } from "../support/start-notifier.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import type { TarsySystem } from "../support/tarsy-system.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const RUNS = Number(process.env["RUNS"] ?? repetitions({ daily: 12, nightly: 48 }));
const SEED = testSeed();
const CONCURRENCY = 4;
const FAULTS_MS = 2_500;
const HOST = "127.0.0.1";
const LOSSY = /^tarsy\.(?:events|chunks|feed)\./u;

/** About a second of streaming, which the faults interrupt. */
const SCRIPT = {
  calls: [
    {
      steps: [
        { thinking: "Which pod restarts 🤔, and why? ".repeat(12), chunk_size: 7, chunk_delay: "8ms" },
        { text: "It is killed for memory: raise its limit. ".repeat(12), chunk_size: 7, chunk_delay: "8ms" },
      ],
    },
  ],
};

type Random = () => number;
type Follow = typeof followUnfiltered;

/** The typed client, which drops repeated messages. */
const followAsClient: Follow = async (url, sessionId, received) =>
  followSession({ url, sessionId, onMessage: (message) => received.add(message) });
const WATCHERS: readonly Follow[] = [followUnfiltered, followUnfiltered, followAsClient];

describeNightly(`the timeline over an unreliable network (SEED=${SEED} RUNS=${RUNS})`, () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let system: TarsySystem;
  let client: TarsyClient;
  let busLinks: readonly TcpProxy[];
  let ports: readonly number[];

  before(async () => {
    const pipeline = resources.use(await PipelineFixture.start({ config: { script: SCRIPT } }));
    ({ system, client } = pipeline);
    const { servers } = pipeline;
    const { postgres, nats } = servers;
    const start = async (seed: number) => {
      const rewrite = lossyNatsRewrite({
        random: seededRandom(seed),
        drop: 0.1,
        duplicate: 0.1,
        subjects: LOSSY,
      });
      const link = resources.use(await TcpProxy.start({ host: HOST, port: nats.port, rewrite }));
      const natsUrl = servers.natsUrl("notifier", link.port);
      const notifier = resources.use(
        await startNotifier({ databaseUrl: postgres.serviceUrls.notifier, natsUrl, signal }),
      );
      return { link, port: notifier.port };
    };
    const notifiers = [await start(SEED + 1), await start(SEED + 2)];
    busLinks = notifiers.map(({ link }) => link);
    ports = notifiers.map(({ port }) => port);
  });
  after(async () => resources.disposeAsync());

  /** Follows a session over a separate unreliable link to the notifiers in turn, from a random one on. */
  async function watchOverBadLink(
    id: string,
    follow: Follow,
    random: Random,
    targets: readonly number[],
  ): Promise<ReceivedTimeline> {
    let connections = Math.floor(random() * targets.length);
    const port = () => targets[(connections += 1) % targets.length] ?? 0;
    await using link = await TcpProxy.start({ host: HOST, port });
    const received = new ReceivedTimeline();
    const done = new AbortController();
    const faults = disturb(link, random, done.signal);
    try {
      await follow(`ws://${HOST}:${link.port}/ws`, id, received);
    } finally {
      done.abort();
      await faults;
    }
    return received;
  }

  async function runOnce(seed: number, targets: readonly number[]): Promise<void> {
    const random = seededRandom(seed);
    const id = await client.submit(`disk full, run ${seed}`);
    const watching = WATCHERS.map(async (follow) =>
      watchOverBadLink(id, follow, seededRandom(random() * 2 ** 32), targets),
    );
    const received = await Promise.all(watching);
    const session = await client.session(id);
    for (const timeline of received) expect(timeline.differences(session), `SEED ${seed}`).to.deep.equal([]);
  }

  async function runMany(count: number, targets: readonly number[]): Promise<void> {
    const seeds = Array.from({ length: count }, (_, n) => SEED + 10 * n);
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await runOnce(seed, targets);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  it("is the same for every client as over REST while connections and the bus break", async function () {
    this.timeout(60_000 + RUNS * 10_000);
    const done = new AbortController();
    const random = seededRandom(SEED);
    const faults = busLinks.map((link) => cutAtIntervals(link, random, done.signal));
    try {
      await runMany(RUNS, ports);
    } finally {
      done.abort();
      await Promise.all(faults);
    }
  });

  it("is the same while a notifier is killed repeatedly", async function () {
    this.timeout(60_000 + RUNS * 10_000);
    const done = new AbortController();
    const killing = (async () => {
      for (let kills = 0; ; kills += 1) {
        await wait(500, undefined, { signal: done.signal }).catch(() => undefined);
        if (done.signal.aborted) return kills;
        await system.stop("notifier", "SIGKILL");
        await system.startService("notifier");
      }
    })();
    try {
      await runMany(Math.ceil(RUNS / 3), [Number(new URL(system.ws).port), ...ports.slice(1)]);
    } finally {
      done.abort();
    }
    expect(await killing).to.be.greaterThan(0);
  });
});

/** Applies every fault of the proxy to a client's link at random times, for a little longer than a session streams. */
async function disturb(link: TcpProxy, random: Random, signal: AbortSignal): Promise<void> {
  const faults = [
    () => link.cut(),
    () => link.setDelay(random() * 20),
    () => link.cutAfter(random() * 20_000),
    () => link.throttle(2_000 + random() * 50_000),
    () => link.blackhole(true),
  ];
  const endAt = performance.now() + FAULTS_MS;
  while (!signal.aborted && performance.now() < endAt) {
    await pause(20 + random() * 300, signal);
    faults[Math.floor(random() * faults.length)]?.();
    await pause(random() * 100, signal);
    link.blackhole(false);
    if (random() < 0.5) link.throttle(Infinity);
  }
  link.throttle(Infinity);
}

async function cutAtIntervals(link: TcpProxy, random: Random, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(200 + random() * 3_000, signal);
    if (!signal.aborted) link.cut();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
