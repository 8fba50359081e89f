import { BackingServers } from "../test/support/backing-servers.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readCpuSeconds } from "./support/process-usage.ts";
import { percentile } from "./support/percentile.ts";
import { ALERT_DATA, postAlerts } from "./support/post-alerts.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { startBenchApi, type BenchApi } from "./support/start-bench-api.ts";

const ROUNDS = 9;
const CLIENTS = 16;
const OPTIONS = { alerts: { fallback: 500, max: 20_000 } };

/** Alerts that are not grouped, each an incident of its own, and all of one incident. */
const WAYS = ["off", "alone", "joined"] as const;
type Way = (typeof WAYS)[number];

/** Acceptance of alerts that are grouped against those that are not. */
export const grouping: Benchmark = {
  summary: "accepting alerts of incidents against alerts that are not grouped, interleaved",
  usage: `usage: npm run bench -- grouping [options]

  --alerts N   alerts of 1 KiB per round and way, 1 to ${OPTIONS.alerts.max} (${OPTIONS.alerts.fallback}); ${ROUNDS} rounds, interleaved
  --help       prints this
`,
  run: async (args, context) => {
    const { number } = readNumberOptions(args, OPTIONS);
    context.print(render(await measure(number("alerts"), context)));
  },
};

/** What one api did in a round. */
interface Figures {
  readonly alertsPerSecond: number;
  readonly p50Ms: number;
  /** CPU time of the api, in milliseconds per alert. */
  readonly cpuMs: number;
}

type Round = Readonly<Record<Way, Figures>>;

const chain = (more: object) => ({
  agent_chains: {
    test: { alert_types: ["test"], stages: [{ name: "look", agents: [{ name: "TestAgent" }] }], ...more },
  },
});

/** Two apis on one Postgres and one NATS take turns; who begins changes with each round. No executor runs. */
async function measure(count: number, { signal, progress }: BenchmarkContext): Promise<readonly Round[]> {
  await using servers = await BackingServers.choose({ ownServers: true });
  await servers.migrate();
  await using on = await startBenchApi(servers, chain({ grouping: { by: ["/incident"] } }));
  await using off = await startBenchApi(servers, chain({}));
  const load = async ({ api, pid }: BenchApi, incident: (n: number) => string): Promise<Figures> => {
    const before = await readCpuSeconds([pid]);
    const dataOf = (n: number) => JSON.stringify({ incident: incident(n), n, text: ALERT_DATA });
    const { alertsPerSecond, p50Ms } = await postAlerts({ api, count, clients: CLIENTS, signal, dataOf });
    return { alertsPerSecond, p50Ms, cpuMs: ((await readCpuSeconds([pid])) - before) * (1_000 / count) };
  };
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${ROUNDS}`);
    const figures: Partial<Record<Way, Figures>> = {};
    for (const way of WAYS.map((_, index) => WAYS[(index + round) % WAYS.length] ?? "off")) {
      const incident = (n: number) => (way === "joined" ? `${round}` : `${round}-${way}-${n}`);
      figures[way] = await load(way === "off" ? off : on, incident);
    }
    const { off: without, alone, joined } = figures;
    if (round > 0 && without && alone && joined) rounds.push({ off: without, alone, joined });
  }
  return rounds;
}

const ROWS = {
  alertsPerSecond: "alerts accepted per second",
  p50Ms: "p50 ms of an answer",
  cpuMs: "CPU ms of the api per alert",
} as const;

function render(rounds: readonly Round[]): string {
  const figure = (values: readonly number[]) =>
    `${percentile(values, 0.5).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
  const lines = (["alertsPerSecond", "p50Ms", "cpuMs"] as const).flatMap((name) => [
    `  ${ROWS[name].padEnd(28)} off ${figure(rounds.map((round) => round.off[name]))}`,
    ...(["alone", "joined"] as const).map((way) => {
      const ratio = rounds.map((round) => round[way][name] / round.off[name]);
      return `  ${"".padEnd(28)} ${way} ${figure(rounds.map((round) => round[way][name]))}, ratio to off ${figure(ratio)}`;
    }),
  ]);
  return `alerts of incidents, ${CLIENTS} clients, median of ${rounds.length} rounds (least to most); off: not grouped, alone: each an incident, joined: all of one\n${lines.join("\n")}\n`;
}
