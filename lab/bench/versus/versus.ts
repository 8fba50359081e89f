import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import type { Comparison } from "./versus/comparison.ts";
import { pairedRatios } from "./versus/paired-ratios.ts";
import { renderComparisons } from "./versus/render-comparisons.ts";
import { parseVersusOptions, VERSUS_OPTIONS_HELP, type VersusOptions } from "./versus/versus-options.ts";

type Compare = (options: VersusOptions, context: BenchmarkContext) => Promise<Comparison[]>;

/** Every comparison by its name; loaded when it runs, because the systems to compare with are loaded too. */
const COMPARISONS: ReadonlyMap<string, () => Promise<Compare>> = new Map([
  ["commits", async () => (await import("./versus/compare-commits.ts")).compareCommits],
  ["queue", async () => (await import("./versus/compare-queue.ts")).compareQueue],
  ["step", async () => (await import("./versus/compare-step.ts")).compareStep],
  ["fanout", async () => (await import("./versus/compare-fanout.ts")).compareFanout],
]);
const NAMES = [...COMPARISONS.keys()];

/** Our system against another one, in interleaved rounds of one run. */
export const versus: Benchmark = {
  summary: "our system against another checkout and against other systems: paired ratios",
  usage: `usage: npm run bench -- versus [NAME] [options]

NAME is one of ${NAMES.join(", ")}; without it all of them run, commits only with --against.

${VERSUS_OPTIONS_HELP}
`,
  run: async (args, context) => {
    const options = parseVersusOptions(args, NAMES);
    const startedAt = new Date();
    const comparisons: Comparison[] = [];
    for (const name of chosen(options, context)) {
      const compare = await COMPARISONS.get(name)?.();
      comparisons.push(...((await compare?.(options, context)) ?? []));
    }
    context.print(`${describeHost()}\n${renderComparisons(comparisons)}`);
    if (options.jsonFile !== undefined) {
      const report = {
        benchmark: "versus",
        started_at: startedAt.toISOString(),
        machine: host(),
        settings: { rounds: options.rounds, sessions: options.sessions, executors: options.executors },
        comparisons: comparisons.map((comparison) => ({ ...comparison, ratios: pairedRatios(comparison) })),
      };
      await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
    }
  },
};

function host() {
  const [load = 0] = loadavg();
  const cpu = cpus()[0]?.model ?? "unknown";
  return { cores: availableParallelism(), cpu, node: process.versions.node, load_average: load };
}

function describeHost(): string {
  const { cores, cpu, node, load_average } = host();
  return `\n${cores} cores (${cpu}), Node ${node}, load average at the end ${load_average.toFixed(1)}`;
}

function chosen({ name, against }: VersusOptions, { progress }: BenchmarkContext): readonly string[] {
  if (name !== undefined) return [name];
  if (against !== undefined) return NAMES;
  progress("commits is left out: it needs --against DIR");
  return NAMES.filter((known) => known !== "commits");
}
