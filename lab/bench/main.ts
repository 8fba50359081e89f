import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { UsageError } from "../../scripts/tarsy/command.ts";
import { errorMessage } from "#shared/errors.ts";

/** Every benchmark by its name on the command line; loaded when it is needed, because each loads much of the system. */
const BENCHMARKS: ReadonlyMap<string, () => Promise<Benchmark>> = new Map([
  ["smoke", async () => (await import("./smoke.ts")).smoke],
  ["scale", async () => (await import("./scale.ts")).scale],
  ["gateway", async () => (await import("./gateway.ts")).gateway],
  ["versus", async () => (await import("./versus/versus.ts")).versus],
  ["step", async () => (await import("./step.ts")).step],
  ["tool-call", async () => (await import("./tool-call.ts")).toolCall],
  ["web", async () => (await import("./web.ts")).web],
  ["worlds", async () => (await import("./worlds.ts")).worlds],
  ["startup", async () => (await import("./startup.ts")).startup],
]);

const INTERRUPTED = 130;

async function usage(): Promise<string> {
  const lines = [...BENCHMARKS].map(async ([name, load]) => `  ${name.padEnd(12)} ${(await load()).summary}`);
  const list = (await Promise.all(lines)).join("\n");
  return `usage: npm run bench -- NAME [options]

${list}

NAME --help prints the options of a benchmark. Figures are noisy: compare only within one run (lab/bench/README.md).
`;
}

/** Runs the named benchmark; resolves with the exit code. */
async function main([name, ...args]: readonly string[], context: BenchmarkContext): Promise<number> {
  if (name === "--help" || name === "-h") {
    context.print(await usage());
    return 0;
  }
  const known = [...BENCHMARKS.keys()].join(", ");
  if (name === undefined) throw new UsageError(`name a benchmark: ${known}`);
  const load = BENCHMARKS.get(name);
  if (load === undefined) throw new UsageError(`no benchmark "${name}"; the benchmarks are: ${known}`);
  const benchmark = await load();
  if (args.includes("--help") || args.includes("-h")) context.print(benchmark.usage);
  else await benchmark.run(args, context);
  return 0;
}

const controller = new AbortController();
const { signal } = controller;
const context: BenchmarkContext = {
  signal,
  progress: (line) => void process.stderr.write(`${line}\n`),
  print: (text) => void process.stdout.write(text),
};
// The terminal sends Ctrl-C to this process and to npm, which forwards it: only the first signal counts.
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (!signal.aborted) context.progress("stopping and removing everything");
    controller.abort(new Error(`stopped by ${name}`));
  });
}
try {
  process.exitCode = await main(process.argv.slice(2), context);
} catch (error) {
  // Errors after the abort are consequences of it.
  process.stderr.write(`${errorMessage(signal.aborted ? signal.reason : error)}\n`);
  process.exitCode = signal.aborted ? INTERRUPTED : error instanceof UsageError ? 2 : 1;
}
