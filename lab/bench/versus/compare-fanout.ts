import { NotifierFixture } from "../../../services/notifier/test/notifier-fixture.ts";
import { startNotifierProcess, startRelay } from "../fanout/ws-process.ts";
import type { BenchmarkContext } from "../support/benchmark.ts";
import type { ArmComparison, FigureSpec } from "./comparison.ts";
import { measureFanout, notifierWay, startSender, type FanoutLoad, type FanoutWay } from "./fanout-arms.ts";
import { startPhysicalLimits } from "./physical-limits.ts";
import { runComparison } from "./run-comparison.ts";
import { startTogether } from "./start-together.ts";
import type { VersusOptions } from "./versus-options.ts";

/** Each combination makes about 10,000 deliveries per second. */
const FANOUTS = [
  { watchers: 100, perSecond: 100 },
  { watchers: 500, perSecond: 20 },
  { watchers: 2_000, perSecond: 5 },
];
const TOKEN_RATES = [1_000, 5_000];
const TOKEN_WATCHERS = 5;
/** The length of a round with the default number of units. The text of one event is limited to 1 MiB. */
const SECONDS = 3;
const DEFAULT_UNITS = 200;
const WATCHERS_PER_UNIT = 10;

const FIGURES: readonly FigureSpec[] = [
  { name: "latency_p50_ms", limit: "write_ms" },
  { name: "latency_p99_ms", limit: "write_ms" },
  { name: "cpu_us_per_delivery", limit: "write_cpu_ms" },
];

/** The way of live text from its sender to WebSockets, against a minimal server in a loop and against NOTIFY. */
export async function compareFanout(
  { rounds, sessions }: VersusOptions,
  context: BenchmarkContext,
): Promise<ArmComparison[]> {
  const { signal, progress } = context;
  progress("fanout: starting Postgres, NATS, the notifier and the servers to compare with");
  await using resources = new AsyncDisposableStack();
  const fixture = resources.use(await NotifierFixture.start({ ownServers: true }));
  const { postgres } = fixture.servers;
  const notifier = resources.use(await startNotifierProcess(fixture.servers));
  const relay = resources.use(await startRelay("notify-relay.ts", postgres.url));
  const senders = await startTogether(
    resources,
    (["executor", "plain", "notify"] as const).map((kind) => () => startSender(kind, fixture)),
  );
  const [executor, plain, notify] = senders;
  if (executor === undefined || plain === undefined || notify === undefined) throw new Error("no senders");
  const limits = resources.use(await startPhysicalLimits(fixture.servers));
  const ours = notifierWay(fixture, notifier, executor);
  const plainWay = {
    name: "plain loop",
    sender: plain,
    port: plain.port,
    pids: [plain.pid],
    subscribes: false,
  };
  const notifyWay = {
    name: "NOTIFY every 20 ms",
    sender: notify,
    port: relay.port,
    pids: [notify.pid, relay.pid, postgres.pid],
    subscribes: false,
  };
  const share = Math.min(1, sessions / DEFAULT_UNITS);
  const compare = (name: string, other: FanoutWay, rate: { watchers: number; perSecond: number }) => {
    const load: FanoutLoad = {
      ...rate,
      watchers: Math.min(rate.watchers, sessions * WATCHERS_PER_UNIT),
      tokens: Math.max(1, Math.round(rate.perSecond * SECONDS * share)),
      signal,
    };
    const arm = (way: FanoutWay) => ({ name: way.name, measure: () => measureFanout(fixture, way, load) });
    const deliveries = `${load.tokens} tokens to ${load.watchers} watchers in each round`;
    return runComparison(
      {
        name,
        what: `${deliveries}; CPU is that of the sender, all servers on the way and, for NOTIFY and the notifier, Postgres.`,
        figures: FIGURES,
        rounds,
        limits,
        arms: [arm(ours), arm(other)],
      },
      context,
    );
  };
  const comparisons: ArmComparison[] = [];
  for (const rate of FANOUTS) {
    comparisons.push(
      await compare(`fanout, ${rate.watchers} watchers, ${rate.perSecond} tokens/s`, plainWay, rate),
    );
  }
  for (const perSecond of TOKEN_RATES) {
    const rate = { watchers: TOKEN_WATCHERS, perSecond };
    comparisons.push(
      await compare(`fanout, ${TOKEN_WATCHERS} watchers, ${perSecond} tokens/s`, notifyWay, rate),
    );
  }
  return comparisons;
}
