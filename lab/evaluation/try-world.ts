import { join } from "node:path";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { providersOfResolved } from "#shared/agent-config/providers-of-chain.ts";
import { isSet } from "#shared/agent-config/found/find-keys.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Truth, World } from "#shared/worlds/world-format.ts";
import packageJson from "../../package.json" with { type: "json" };
import { readTruth, readWorld } from "../worlds/world-files.ts";
import { Configurations, type Configuration } from "./engine/configurations.ts";
import { openEngine } from "./engine/open-engine.ts";
import { runCell } from "./engine/run-cell.ts";
import type { Grade } from "./grade/grade-conclusion.ts";
import { judgeCell } from "./grade/judge-cell.ts";
import { planSuite } from "./plan/plan-suite.ts";
import type { PlannedCell } from "./plan/planned-cell.ts";
import type { CellFacts } from "./results/cell-facts.ts";
import type { Suite } from "./suite/suite.ts";

interface TryWorld {
  /** The world's; absolute, as all paths here. */
  readonly file: string;
  readonly configDir: string;
  /** Undefined for the configuration's own. */
  readonly provider: string | undefined;
  readonly env: Environment;
  readonly watcher: {
    /** Before the investigation, with the models that it may use. */
    readonly started: (world: World, models: readonly string[]) => void;
    /** After each call of a tool, with its arguments as JSON. */
    readonly called: (tool: string, args: string) => void;
  };
  readonly signal: AbortSignal;
}

/** An investigation that has ended, beside what is right. */
export interface TriedWorld {
  readonly facts: CellFacts;
  readonly grade: Grade;
  readonly truth: Truth;
}

const TIMEOUT_MS = 30 * 60_000;
const EVERY_MS = 300;
/** The database has one session. */
const CALLS = `
SELECT server_name || '.' || coalesce(tool_name, '') AS tool, left(coalesce(tool_arguments, '{}')::text, 2000) AS args
FROM mcp_interactions WHERE interaction_type = 'tool_call' ORDER BY created_at, interaction_id OFFSET $1`;
const parseCall = compileParser("call", Type.Object({ tool: Type.String(), args: Type.String() }));

/**
 * Runs one cell of an evaluation: the investigation of a world by one agent. The truth is read once it has ended. Throws AgentConfigError and TerminalError
 * for what cannot be run, LaunchError, and the signal's reason.
 */
export async function tryWorld(options: TryWorld): Promise<TriedWorld> {
  const { file, watcher, signal } = options;
  const { cell, configuration } = await planCell(options);
  const { world, hash } = await readWorld(file);
  const models = providersOfResolved(cell.chain).map(({ name, model }) => `${name} (${model})`);
  requireKeys(cell, configuration);
  watcher.started(world, [...new Set(models)]);
  await using engine = await openEngine(1, signal);
  const over = new AbortController();
  const watching = watchCalls(engine.db, watcher.called, over.signal);
  // Its error is thrown below.
  watching.catch(() => undefined);
  let facts: CellFacts;
  try {
    facts = await runCell(engine, cell, { configuration, judge: undefined }, signal);
  } finally {
    over.abort();
  }
  for (const { server, tool, arguments: args } of facts.tool_calls.slice(await watching)) {
    watcher.called(`${server}.${tool}`, args);
  }
  const grade = (await judgeCell(cell, facts)).world?.grade;
  if (grade === undefined) throw new Error(`${file} is not graded`);
  return { facts, grade, truth: await readTruth(file, { world, hash }) };
}

async function planCell({ file, configDir, provider, env }: TryWorld) {
  const name = "try";
  const none = { model: undefined, instructions: undefined, maxIterations: undefined };
  const suite: Suite = {
    name,
    file,
    hash: "",
    cases: [{ kind: "world", name, file, assertions: [] }],
    answer: CONCLUSION_CONTRACT,
    variants: [{ name, configDir, chain: undefined, provider, ...none }],
    repetitions: 1,
    judge: undefined,
    budgetUsd: undefined,
    cellBudgetUsd: undefined,
    parallel: 1,
    timeoutMs: TIMEOUT_MS,
  };
  const plan = await planSuite(suite, new Configurations(env), packageJson.version);
  const [cell] = plan.cells;
  const configuration = plan.configurations.get(name);
  if (cell === undefined || configuration === undefined) throw new Error(`${file} makes no cell`);
  return { cell, configuration };
}

/** Throws TerminalError `invalid_configuration` if a model would be called without its key: a configuration is checked only for the models that its own agents use. */
function requireKeys({ chain }: PlannedCell, { env, path }: Configuration): void {
  for (const { name, api_key_env: variable } of providersOfResolved(chain)) {
    if (variable === undefined || variable === "" || isSet(env, variable)) continue;
    const where = `in the environment or in ${join(path, ".env")}`;
    throw new TerminalError("invalid_configuration", `${name} needs its key: set ${variable} ${where}`);
  }
}

/** Says each call until the signal aborts; resolves with their number. Throws database errors. */
async function watchCalls(
  db: Queryable,
  called: (tool: string, args: string) => void,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    for (const { tool, args } of await selectRows(db, parseCall, CALLS, [count])) {
      called(tool, args);
      count += 1;
    }
    await pause(EVERY_MS, signal).catch(() => undefined);
  }
  return count;
}
