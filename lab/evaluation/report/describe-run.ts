import { createHash } from "node:crypto";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { providersOfAgent, providersOfResolved } from "#shared/agent-config/providers-of-chain.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { priceCall } from "#shared/pricing/price-call.ts";
import type { Configuration } from "../engine/configurations.ts";
import type { SuitePlan } from "../plan/plan-suite.ts";
import type { Report } from "./report.ts";

/** The price of a token in picodollars is so many times that of a million tokens in USD. */
const PICODOLLARS_PER_MILLION = 1e6;

/** What a report says about what was run: the sources of its worlds, and the prices of its models. */
export function describeRun(plan: SuitePlan): Pick<Report, "sources" | "prices"> {
  return { sources: sourcesOf(plan), prices: pricesOf(plan) };
}

function sourcesOf({ cells }: SuitePlan): Report["sources"] {
  const worlds = new Map(
    cells.flatMap(({ world }) => (world === undefined ? [] : [[world.id, world] as const])),
  );
  const bySource = Map.groupBy(worlds.values(), ({ source: { name, repository, commit, importer } }) =>
    JSON.stringify([name, repository, commit, importer]),
  );
  return [...bySource.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { name, repository, commit, importer } = first.source;
    const lines = own.map(({ id, hash }) => `${id} ${hash}`).toSorted();
    const hash = createHash("sha256").update(lines.join("\n")).digest("hex");
    return [{ name, repository, commit, importer, worlds: own.length, hash }];
  });
}

function pricesOf({ cells, configurations, judge }: SuitePlan): Report["prices"] {
  const used = cells.flatMap(({ variant, chain }) => {
    const configuration = configurations.get(variant.name);
    return configuration === undefined
      ? []
      : providersOfResolved(chain).map((provider) => priceOf(configuration, provider));
  });
  const ofJudge =
    judge === undefined
      ? []
      : providersOfAgent(judge.agent).map((provider) => priceOf(judge.configuration, provider));
  const all = new Map([...used, ...ofJudge].map((price) => [JSON.stringify(price), price]));
  return [...all.values()];
}

function priceOf(
  { config }: Configuration,
  provider: Pick<ResolvedProvider, "name" | "type" | "model">,
): Report["prices"][number] {
  const estimation = costEstimationOf(config);
  const one = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, thinking: 0 };
  const input = priceCall(estimation, provider, { ...one, input: 1 }, Date.now());
  const output = priceCall(estimation, provider, { ...one, output: 1 }, Date.now());
  const perMillion = (price: typeof input) =>
    price === null ? null : Number(price.usd) / PICODOLLARS_PER_MILLION;
  return {
    model: `${provider.name} (${provider.model})`,
    input: perMillion(input),
    output: perMillion(output),
    from: input?.source ?? null,
  };
}
