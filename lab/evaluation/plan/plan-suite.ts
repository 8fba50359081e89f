import { providersOfAgent, providersOfResolved } from "#shared/agent-config/providers-of-chain.ts";
import type { ResolvedAgent, ResolvedChain, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import type { Configuration, Configurations } from "../engine/configurations.ts";
import type { Suite, Variant } from "../suite/suite.ts";
import { cellKey } from "./cell-key.ts";
import type { PlannedCell } from "./planned-cell.ts";
import { readCase, type ReadCase } from "./read-case.ts";
import { resolveJudge } from "./resolve-judge.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { priceCall } from "#shared/pricing/price-call.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findScript } from "#shared/agent-config/scripts/find-script.ts";
import { secretVariable } from "#shared/service/environment.ts";

/** What a chain's runs depend on beside the chain: the values of its variables, and what scripted models play. */
async function insertedValues(
  { path, env }: Configuration,
  { variables = [] }: Pick<ResolvedChain, "variables">,
  providers: readonly Pick<ResolvedProvider, "script">[],
): Promise<Readonly<Record<string, string>>> {
  const values = variables.map((name): [string, string] => [`variable ${name}`, secretVariable(env, name)]);
  const scripts = [...new Set(providers.flatMap(({ script }) => script ?? []))];
  const played = scripts.map(async (script): Promise<[string, string]> => {
    const isFile = findScript(path, script) === "file";
    return [`script ${script}`, isFile ? await readFile(join(path, script), "utf8") : ""];
  });
  return Object.fromEntries([...values, ...(await Promise.all(played))]);
}

/** The smallest call: every model with a price has one for it. */
const SMALL_CALL = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, thinking: 0 };

/** The models without a price by a configuration, such as "big (model acme-7b)", sorted. */
function unpricedModels(
  config: Pick<AgentConfig, "system">,
  providers: readonly Pick<ResolvedProvider, "name" | "type" | "model">[],
): string[] {
  const estimation = costEstimationOf(config);
  const unpriced = providers.filter(
    ({ type, model }) => priceCall(estimation, { type, model }, SMALL_CALL, Date.now()) === null,
  );
  return [...new Set(unpriced.map(({ name, model }) => `${name} (model ${model})`))].toSorted();
}

/** A cell may cost this many times its share of the budget, unless the suite says how much. */
const SHARES = 10;

/** A suite with everything that running its cells needs. */
export interface SuitePlan {
  /** All repetitions one after the other, so that a run that ends early has compared everything about as often. */
  readonly cells: readonly PlannedCell[];
  /** By the variant's name. */
  readonly configurations: ReadonlyMap<string, Configuration>;
  readonly judge: { readonly agent: ResolvedAgent; readonly configuration: Configuration } | undefined;
  /** What one cell may cost; 0 without a budget. */
  readonly worstCaseUsd: number;
}

/** Throws TerminalError and AgentConfigError that name the file, the variant or the case which is wrong. */
export async function planSuite(suite: Suite, read: Configurations, version: string): Promise<SuitePlan> {
  const judge = await judgeOf(suite, read);
  const configurations = new Map<string, Configuration>();
  for (const variant of suite.variants) configurations.set(variant.name, await read.read(variant.configDir));
  const count = suite.cases.length * suite.variants.length * suite.repetitions;
  const worstCaseUsd = worstCase(suite, count);
  const pairs: Omit<PlannedCell, "repetition" | "key">[] = [];
  const keys: ((repetition: number) => string)[] = [];
  for (const ofSuite of suite.cases) {
    const known = await readCase(ofSuite);
    for (const variant of suite.variants) {
      const configuration = await read.read(variant.configDir);
      const chain = chainOf({ suite, known, variant, configuration, judge, worstCaseUsd });
      const providers = [
        ...providersOfResolved(chain),
        ...(judge === undefined ? [] : providersOfAgent(judge.agent)),
      ];
      const inserted = await insertedValues(configuration, chain, providers);
      pairs.push({ case: ofSuite, variant, chain, ...known.planned });
      // What the cell may cost changes with the number of cells, and its result with neither.
      const { budgets: _budgets, ...identity } = chain;
      keys.push((repetition) =>
        cellKey({
          version,
          caseHash: known.hash,
          variant: variant.name,
          chain: {
            ...identity,
            ...(judge === undefined ? {} : { scoring: { enabled: true, agent: judge.agent } }),
          },
          inserted,
          repetition,
        }),
      );
    }
  }
  const cells = Array.from({ length: suite.repetitions }, (_, index) => index + 1).flatMap((repetition) =>
    pairs.map((pair, index) => ({ ...pair, repetition, key: keys[index]?.(repetition) ?? "" })),
  );
  return { cells, configurations, judge, worstCaseUsd };
}

async function judgeOf({ judge }: Suite, read: Configurations): Promise<SuitePlan["judge"]> {
  if (judge === undefined) return undefined;
  const configuration = await read.read(judge.configDir);
  requireProvider(configuration, judge.provider, "judge");
  return { agent: resolveJudge(configuration.config, judge.provider), configuration };
}

function worstCase({ budgetUsd, cellBudgetUsd }: Suite, cells: number): number {
  if (budgetUsd === undefined) return 0;
  // Six decimals are what a budget can have.
  return (
    cellBudgetUsd ?? Math.max(0.000_001, Number(Math.min(budgetUsd, (SHARES * budgetUsd) / cells).toFixed(6)))
  );
}

function chainOf({
  suite,
  known,
  variant,
  configuration,
  judge,
  worstCaseUsd,
}: {
  readonly suite: Suite;
  readonly known: ReadCase;
  readonly variant: Variant;
  readonly configuration: Configuration;
  readonly judge: SuitePlan["judge"];
  readonly worstCaseUsd: number;
}): ResolvedChain {
  const { provider } = variant;
  if (provider !== undefined) requireProvider(configuration, provider, `variants.${variant.name}`);
  const budgetUsd = suite.budgetUsd === undefined ? undefined : worstCaseUsd;
  let chain: ResolvedChain;
  try {
    const { timeoutMs, answer } = suite;
    chain = known.chainOf(variant, configuration.config, { timeoutMs, budgetUsd, answer });
  } catch (error) {
    const where = `${known.name} cannot be run by variant ${variant.name} (${configuration.path})`;
    throw new TerminalError("invalid_configuration", `${where}: ${errorMessage(error)}`, { cause: error });
  }
  if (budgetUsd !== undefined) {
    requirePrices(configuration, providersOfResolved(chain), `variant ${variant.name}`);
    if (judge !== undefined) requirePrices(judge.configuration, providersOfAgent(judge.agent), "the judge");
  }
  return chain;
}

/** Throws TerminalError `invalid_configuration` that names the providers of the configuration, for one that it does not have. */
export function requireProvider({ config, path }: Configuration, name: string, where: string): void {
  if (config.llmProviders.has(name)) return;
  const known = [...config.llmProviders.keys()].toSorted().join(", ");
  throw new TerminalError(
    "invalid_configuration",
    `${where}: there is no LLM provider ${JSON.stringify(name)} in ${path}; it has ${known}`,
  );
}

function requirePrices(
  { config, path }: Configuration,
  providers: Parameters<typeof unpricedModels>[1],
  where: string,
): void {
  const unpriced = unpricedModels(config, providers);
  if (unpriced.length === 0) return;
  throw new TerminalError(
    "invalid_configuration",
    `budget_usd needs the price of every model, and none is known for ${unpriced.join(", ")} of ${where}: add each model to system.cost_estimation.model_rates in ${path}/tarsy.yaml, or remove budget_usd`,
  );
}
