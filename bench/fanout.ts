import { writeFile } from "node:fs/promises";
import { NotifierFixture } from "../services/notifier/test/notifier-fixture.ts";
import {
  measureFanout,
  notifierSource,
  plainSource,
  type FanoutFigures,
  type Source,
} from "./fanout/measure-fanout.ts";
import { notifySource } from "./fanout/notify-source.ts";
import { renderComparison, type Comparison } from "./fanout/render-comparison.ts";
import { startNotifierProcess, startRelay } from "./fanout/ws-process.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

/** Each combination makes about 10,000 deliveries per second. */
const FANOUTS = [
  { watchers: 100, perSecond: 100 },
  { watchers: 500, perSecond: 20 },
  { watchers: 2_000, perSecond: 5 },
];
const TOKEN_RATES = [1_000, 5_000];
const TOKEN_WATCHERS = 5;
const OPTIONS = { rounds: { fallback: 5, max: 100 }, seconds: { fallback: 4, max: 60 } };

type Start = () => Promise<Source & AsyncDisposable>;

/** The cost of the notifier, compared with a minimal WebSocket server and with streaming by NOTIFY. */
export const fanout: Benchmark = {
  summary: "one message to many watchers, and tokens to a socket: ratios to a plain loop and to NOTIFY",
  usage: `usage: npm run bench -- fanout [options]

  --rounds N    interleaved rounds of each, 1 to 100 (5), after one to warm up
  --seconds N   length of a round, 1 to 60 (4)
  --json FILE   also writes the figures to FILE as JSON; the names end in the unit
  --help        prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const comparisons = await measure({ rounds: number("rounds"), seconds: number("seconds") }, context);
    context.print(renderComparison(comparisons));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(comparisons, null, 2)}\n`);
  },
};

async function measure(
  length: { readonly rounds: number; readonly seconds: number },
  context: BenchmarkContext,
): Promise<Comparison[]> {
  context.progress("starting Postgres, NATS, the notifier and the servers to compare with");
  await using resources = new AsyncDisposableStack();
  const fixture = resources.use(await NotifierFixture.start({ ownServers: true }));
  const notifier = resources.use(await startNotifierProcess(fixture.servers));
  const plain = resources.use(await startRelay("plain-ws-server.ts"));
  const relay = resources.use(await startRelay("notify-relay.ts", fixture.servers.postgres.url));
  const natsPid = fixture.servers.nats.pid;
  const results: Comparison[] = [];
  for (const { watchers, perSecond } of FANOUTS) {
    results.push(
      await compare(
        {
          what: `${watchers} watchers, ${perSecond} messages/s`,
          ours: "notifier",
          other: "plain loop",
          ...length,
          perSecond,
        },
        async () => notifierSource(fixture, notifier, watchers),
        async () => plainSource(plain, watchers),
        context,
      ),
    );
  }
  for (const perSecond of TOKEN_RATES) {
    results.push(
      await compare(
        {
          what: `${perSecond} tokens/s to ${TOKEN_WATCHERS} watchers`,
          ours: "NATS and notifier",
          other: "NOTIFY every 20 ms",
          ...length,
          perSecond,
        },
        async () => {
          const source = await notifierSource(fixture, notifier, TOKEN_WATCHERS);
          return { ...source, pids: [...source.pids, natsPid] };
        },
        async () => notifySource(fixture.servers, relay, TOKEN_WATCHERS),
        context,
      ),
    );
  }
  return results;
}

interface Settings {
  readonly what: string;
  readonly ours: string;
  readonly other: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Measures both in interleaved rounds, each with new watchers. */
async function compare(
  { what, ours, other, rounds, ...load }: Settings,
  startOurs: Start,
  startOther: Start,
  { progress, signal }: BenchmarkContext,
): Promise<Comparison> {
  const measureOne = async (start: Start): Promise<FanoutFigures> => {
    await using source = await start();
    return await measureFanout(source, { ...load, signal });
  };
  const pairs: Comparison["rounds"] = [];
  for (let round = 0; round <= rounds; round += 1) {
    progress(`${what}: ${round === 0 ? "warming up" : `round ${round} of ${rounds}`}`);
    const pair = { ours: await measureOne(startOurs), other: await measureOne(startOther) };
    if (round > 0) pairs.push(pair);
  }
  return { what, ours, other, rounds: pairs };
}
