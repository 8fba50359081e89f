import { BackingServers } from "../test/support/backing-servers.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readCpuSeconds } from "./support/process-usage.ts";
import { percentile } from "./support/percentile.ts";
import { postAlerts } from "./support/post-alerts.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { startBenchApi, type BenchApi } from "./support/start-bench-api.ts";

const ROUNDS = 10;
const CLIENTS = 16;
const OPTIONS = { alerts: { fallback: 500, max: 100_000 } };

/** Acceptance of alerts with masking against without it. */
export const masking: Benchmark = {
  summary: "accepting alerts with masking against without it, interleaved",
  usage: `usage: npm run bench -- masking [options]

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
  /** CPU time of the api, in milliseconds per alert. */
  readonly cpuMs: number;
}

interface Round {
  readonly on: Figures;
  readonly off: Figures;
}

/** Two apis on one Postgres and one NATS take turns; who begins changes. */
async function measure(count: number, { signal, progress }: BenchmarkContext): Promise<readonly Round[]> {
  await using servers = await BackingServers.choose({ ownServers: true });
  await servers.migrate();
  await using on = await startBenchApi(servers, masked(true));
  await using off = await startBenchApi(servers, masked(false));
  const load = async ({ api, pid }: BenchApi): Promise<Figures> => {
    const before = await readCpuSeconds([pid]);
    const { alertsPerSecond } = await postAlerts({ api, count, clients: CLIENTS, signal });
    return { alertsPerSecond, cpuMs: ((await readCpuSeconds([pid])) - before) * (1_000 / count) };
  };
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    progress(round === 0 ? "warming up" : `round ${round} of ${ROUNDS}`);
    const first = await load(round % 2 === 0 ? on : off);
    const second = await load(round % 2 === 0 ? off : on);
    if (round > 0) rounds.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  return rounds;
}

const masked = (enabled: boolean) => ({
  defaults: { llm_provider: "scripted", alert_type: "test", alert_masking: { enabled } },
});

function render(rounds: readonly Round[]): string {
  const figure = (values: readonly number[]) =>
    `${percentile(values, 0.5).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
  const lines = (["alertsPerSecond", "cpuMs"] as const).map((name) => {
    const [on, off] = [rounds.map((round) => round.on[name]), rounds.map((round) => round.off[name])];
    const ratio = rounds.map((round) => round.on[name] / round.off[name]);
    const what = name === "cpuMs" ? "CPU ms of the api per alert" : "alerts accepted per second";
    return `  ${what.padEnd(28)} on ${figure(on)}, off ${figure(off)}, ratio ${figure(ratio)}`;
  });
  return `masking of alerts, ${CLIENTS} clients, median of ${rounds.length} rounds (least to most)\n${lines.join("\n")}\n`;
}
