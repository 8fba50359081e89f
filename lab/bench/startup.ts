import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { BackingServers } from "../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../test/support/config-directory.ts";
import { TEST_GATEWAY_TOKEN } from "../../test/support/gateway-token.ts";
import { migrateWith } from "../../test/support/migrate-with.ts";
import { testPort } from "../../test/support/test-port.ts";
import { openArms, type StartupArm } from "./startup/arm.ts";
import { measureStart, type StartRound } from "./startup/measure-start.ts";
import { renderStartup, summarizeArm, type ArmRounds } from "./startup/startup-report.ts";
import { UsageError } from "../../scripts/tarsy/command.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";

const DEFAULT_ROUNDS = 5;

/** What a start of the five services costs, and what memory they take when idle. */
export const startup: Benchmark = {
  summary: "start of the five services: CPU time until ready, memory when idle",
  usage: `usage: npm run bench -- startup [options]

  --rounds N      interleaved rounds, 1 to 100 (${DEFAULT_ROUNDS}), after one that fills the compile caches
  --tree DIR      also measures another checkout, with its own node_modules, and prints the ratios to it
  --bundles DIR   also measures bundles, made by \`node deploy/bundle/main.ts DIR\`
  --json FILE     also writes the figures to FILE as JSON; the names end in the unit
  --help          prints this
`,
  run: async (args, context) => {
    const { rounds, jsonFile, ...options } = parse(args);
    const startedAt = new Date();
    const measured = await measure(await openArms(options), rounds, context);
    context.print(renderStartup(measured));
    if (jsonFile === undefined) return;
    const report = {
      benchmark: "startup",
      started_at: startedAt.toISOString(),
      machine: {
        cores: availableParallelism(),
        cpu: cpus()[0]?.model ?? "unknown",
        node: process.versions.node,
      },
      settings: { rounds },
      arms: measured.map(summarizeArm),
    };
    await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  },
};

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: "string", default: String(DEFAULT_ROUNDS) },
        tree: { type: "string" },
        bundles: { type: "string" },
        json: { type: "string" },
      },
    });
    const rounds = Number(values.rounds);
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) {
      throw new Error(`--rounds is "${values.rounds}"; it must be a whole number from 1 to 100`);
    }
    return { rounds, tree: values.tree, bundles: values.bundles, jsonFile: values.json };
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

async function measure(
  arms: readonly StartupArm[],
  rounds: number,
  { signal, progress }: BenchmarkContext,
): Promise<readonly ArmRounds[]> {
  progress("starting Postgres and NATS");
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await BackingServers.start());
  const config = resources.use(await testConfigDirectory());
  const temporary = await mkdtemp(join(tmpdir(), "tarsy-startup-"));
  resources.defer(() => rm(temporary, { recursive: true, force: true }));
  const measured = new Map<StartupArm["name"], StartRound[]>(arms.map(({ name }) => [name, []]));
  // Each version has its own schema, so each gets a database.
  for (const { name, checkout } of arms) {
    await servers.query(`create database startup_${name}`, []);
    await migrateWith(checkout, databaseOf(servers, name));
  }
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? "filling the compile caches" : `round ${round} of ${rounds}`);
    for (const arm of arms) {
      const figures = await measureStart(
        arm,
        await environment(servers, config.path, arm, temporary),
        signal,
      );
      if (round > 0) measured.get(arm.name)?.push(figures);
    }
  }
  return [...measured].map(([arm, figures]) => ({ arm, rounds: figures }));
}

function databaseOf({ postgres }: BackingServers, name: StartupArm["name"]): string {
  const database = new URL(postgres.url);
  database.pathname = `/startup_${name}`;
  return database.href;
}

async function environment(
  servers: BackingServers,
  configDir: string,
  { name }: StartupArm,
  temporary: string,
): Promise<Readonly<Record<string, string>>> {
  const gateway = await testPort();
  return {
    // As the owner, because an arm may be of a version without roles.
    DATABASE_URL: databaseOf(servers, name),
    NATS_URL: servers.nats.url,
    CONFIG_DIR: configDir,
    API_PORT: String(await testPort()),
    NOTIFIER_PORT: String(await testPort()),
    LLM_GATEWAY_PORT: String(gateway),
    LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
    LLM_GATEWAY_ADDR: `127.0.0.1:${gateway}`,
    LOG_LEVEL: "info",
    LOG_FORMAT: "json",
    NODE_COMPILE_CACHE: join(temporary, name),
  };
}
