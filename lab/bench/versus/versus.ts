import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { prepare } from "../../../launcher/prepare.mjs";
import type { Benchmark, BenchmarkContext } from "../support/benchmark.ts";
import type { ArmComparison } from "./comparison.ts";
import { pairedRatios } from "./paired-ratios.ts";
import { renderComparisons } from "./render-comparisons.ts";
import { parseVersusOptions, VERSUS_OPTIONS_HELP, type VersusOptions } from "./versus-options.ts";

type Compare = (options: VersusOptions, context: BenchmarkContext) => Promise<ArmComparison[]>;

/** The package of the systems to compare with; it is installed when it is first needed. */
const PEERS = join(import.meta.dirname, "peers");
const WITH_PEERS: ReadonlySet<string> = new Set(["queue", "step"]);

/** Every comparison by its name; loaded when it runs, because each loads much of the system. */
const COMPARISONS: ReadonlyMap<string, () => Promise<Compare>> = new Map([
  ["commits", async () => (await import("./compare-commits.ts")).compareCommits],
  ["queue", async () => (await import("./compare-queue.ts")).compareQueue],
  ["step", async () => (await import("./compare-step.ts")).compareStep],
  ["fanout", async () => (await import("./compare-fanout.ts")).compareFanout],
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
    const comparisons: ArmComparison[] = [];
    const names = chosen(options, context);
    if (names.some((name) => WITH_PEERS.has(name))) await prepare("all", PEERS);
    for (const name of names) {
      const compare = await COMPARISONS.get(name)?.();
      comparisons.push(...((await compare?.(options, context)) ?? []));
    }
    context.print(`${describeHost()}\n${renderComparisons(comparisons)}`);
    if (options.jsonFile !== undefined) {
      const { rounds, sessions, executors, slots, modelMs: model_ms, toolCalls: tool_calls } = options;
      const settings = { rounds, sessions, executors, slots_per_executor: slots, model_ms, tool_calls };
      const report = {
        benchmark: "versus",
        started_at: startedAt.toISOString(),
        machine: host(),
        settings,
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
