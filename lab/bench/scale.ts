import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { UsageError } from "../../scripts/tarsy/command.ts";
import { PARTS, predictScale, type Plan, type Prediction, type SessionCosts } from "./scale/predict-scale.ts";
import type { Benchmark } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { wholeNumber } from "./support/read-number-options.ts";

const EXECUTORS = [10, 100, 1_000];

/** What a system of many executors would need, from what a session costs on this machine. */
export const scale: Benchmark = {
  summary: "predicts what many executors need, from the figures of smoke",
  usage: `usage: npm run bench -- scale --costs FILE [options]

  --costs FILE    the figures of npm run bench -- smoke --json FILE; required
  --slots N       sessions that one executor runs at a time, 1 to 1000 (20)
  --model-s N     seconds that a session waits for models and tools, 1 to 86400 (30)
  --help          prints this
`,
  run: async (args, { print }) => {
    const { measured, slots, modelSeconds } = await readOptions(args);
    const { costs, run, perSecond } = measured;
    const own = predictScale(costs, run);
    print(
      `\nthe measured run: ${perSecond.toFixed(1)} sessions per second; ${own.perSecond.toFixed(1)} predicted if its cores do nothing else\n`,
    );
    const predictions = EXECUTORS.map((executors) => predictScale(costs, { executors, slots, modelSeconds }));
    print(
      `\n${slots} slots each, ${modelSeconds} s of models and tools a session\n\n${render(predictions)}\n`,
    );
  },
};

function render(predictions: readonly Prediction[]): string {
  const row = (name: string, value: (one: Prediction) => number) => [name, ...predictions.map(value)];
  return formatTable([
    ["executors", ...EXECUTORS.map(String)],
    row("sessions per second", ({ perSecond }) => perSecond),
    ...PARTS.filter((part) => part !== "client" && part !== "executor").map((part) =>
      row(`${part}, ${SERVERS.has(part) ? "cores" : "processes"}`, ({ needed }) => needed[part]),
    ),
    row("CPU ms of Postgres per session", ({ cpuMs }) => cpuMs.Postgres),
    row("commits per second", ({ commitsPerSecond }) => commitsPerSecond),
    row("write-ahead log, MB per second", ({ walMbPerSecond }) => walMbPerSecond),
    row("connections of the executors", ({ connections }) => connections),
  ]);
}

/** What runs several threads. */
const SERVERS = new Set<string>(["NATS", "Postgres"]);

const Cpu = Type.Object({ cpu_ms_per_session: Type.Number({ minimum: 0 }) });
/** Calls of the model in a session of `smoke`: the answer and its summary. */
const CALLS = 2;

const parseReport = compileParser(
  "figures of smoke",
  Type.Object({
    machine: Type.Object({ cores: Type.Integer() }),
    settings: Type.Object({
      sessions: Type.Integer(),
      executors: Type.Integer(),
      slots_per_executor: Type.Integer(),
      model_ms: Type.Number(),
    }),
    sessions: Type.Object({ completed_per_s: Type.Number() }),
    services: Type.Object({
      api: Cpu,
      executor: Cpu,
      "llm-gateway": Cpu,
      "tool-runner": Cpu,
      notifier: Cpu,
    }),
    nats: Cpu,
    postgres: Type.Object({
      ...Cpu.properties,
      write_transactions_per_session: Type.Number({ minimum: 0 }),
      wal_kb_per_session: Type.Number({ minimum: 0 }),
    }),
    bench_client: Cpu,
  }),
);

/** A run of `smoke`. */
interface MeasuredRun {
  readonly costs: SessionCosts;
  readonly run: Plan;
  readonly perSecond: number;
}

/** The figures of `smoke`. Throws the error of the parser. */
export function readRun(json: string): MeasuredRun {
  const report = parseReport(JSON.parse(json));
  const { sessions, executors, slots_per_executor: slots, model_ms: modelMs } = report.settings;
  const modelSeconds = (CALLS * modelMs) / 1_000;
  return {
    costs: costsOf(report),
    run: { sessions, executors, slots, modelSeconds, sharedCores: report.machine.cores },
    perSecond: report.sessions.completed_per_s,
  };
}

function costsOf(report: ReturnType<typeof parseReport>): SessionCosts {
  const { services, nats, postgres, bench_client: client } = report;
  return {
    cpuMs: {
      api: services.api.cpu_ms_per_session,
      executor: services.executor.cpu_ms_per_session,
      "llm-gateway": services["llm-gateway"].cpu_ms_per_session,
      "tool-runner": services["tool-runner"].cpu_ms_per_session,
      notifier: services.notifier.cpu_ms_per_session,
      NATS: nats.cpu_ms_per_session,
      Postgres: postgres.cpu_ms_per_session,
      client: client.cpu_ms_per_session,
    },
    commits: postgres.write_transactions_per_session,
    walKb: postgres.wal_kb_per_session,
  };
}

async function readOptions(args: readonly string[]) {
  const { costs: file = "", slots, "model-s": seconds } = parse(args);
  if (file === "") throw new UsageError("--costs is missing: name a file of `smoke --json`");
  const measured = await readFile(file, "utf8")
    .then(readRun)
    .catch((error: unknown) => {
      throw new UsageError(`--costs: ${file} cannot be used: ${errorMessage(error)}`, { cause: error });
    });
  return {
    measured,
    slots: wholeNumber("--slots", slots, { fallback: 20, max: 1_000 }),
    modelSeconds: wholeNumber("--model-s", seconds, { fallback: 30, max: 86_400 }),
  };
}

function parse(args: readonly string[]) {
  try {
    const text = { type: "string" as const };
    return parseArgs({ args: [...args], options: { costs: text, slots: text, "model-s": text } }).values;
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "");
    throw new UsageError(`${reason}; NAME --help lists the options`, { cause: error });
  }
}
