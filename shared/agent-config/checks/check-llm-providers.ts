import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkUrl, requireKey } from "#shared/agent-config/checks/check-context.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { parseDuration, parseConfigInstant } from "#shared/agent-config/parse-duration.ts";
import { NATIVE_TOOLS, type LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import { TYPE_SETTINGS } from "#shared/contracts/provider-hash.ts";
import type { CostSection } from "#shared/agent-config/schemas/cost-section.ts";
import { hasSixDecimals } from "#shared/pricing/usd.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { unpricedProviders } from "#shared/agent-config/cost-estimation-of.ts";
import type { LimitsEntry } from "#shared/agent-config/schemas/budgets.ts";

/** Checks the keys of a written provider against each other. */
export function checkLlmProvider(provider: Loose<LlmProviderEntry>, reporter: Reporter): void {
  const { type, native_tools: nativeTools } = provider;
  checkUrl(provider, "base_url", provider.base_url, reporter);
  if (provider.timeouts !== undefined) checkSilence(provider.timeouts, reporter);
  if (type === undefined) return;
  checkTypeSettings(provider, type, reporter);
  if (type === "scripted") {
    requireKey(provider, "script", "is required for provider type scripted", reporter);
  } else {
    requireKey(provider, "model", "is required", reporter);
    if (provider.script !== undefined) {
      reporter.warn({ container: provider, key: "script" }, "has an effect for provider type scripted only");
    }
  }
  if (nativeTools === undefined) return;
  if (type !== "google") {
    const target = { container: provider, key: "native_tools" };
    reporter.warn(target, "has an effect for provider type google only");
    return;
  }
  for (const name of Object.keys(nativeTools)) {
    if (NATIVE_TOOLS.some((tool) => tool === name)) continue;
    const target = { container: nativeTools, key: name };
    reporter.error(target, "must be a known native tool", suggestName(name, NATIVE_TOOLS));
  }
}

/** A limit of silence that is longer than the call could never end one. */
function checkSilence(timeouts: Loose<NonNullable<LlmProviderEntry["timeouts"]>>, reporter: Reporter): void {
  const { call } = timeouts;
  const callMs = call === undefined ? undefined : parseDuration(call);
  if (callMs === undefined) return;
  for (const key of ["first_chunk", "stall"] as const) {
    const limit = timeouts[key];
    const limitMs = limit === undefined ? undefined : parseDuration(limit);
    if (limitMs === undefined || limitMs <= callMs) continue;
    reporter.error({ container: timeouts, key }, `must not be longer than call (${call}), which ends first`);
  }
}

const AWS_KEYS = ["access_key_id_env", "secret_access_key_env", "session_token_env"] as const;
const ENTRA_KEYS = ["tenant_id_env", "client_id_env", "client_secret_env"] as const;

/** The types that each of these settings is for. */
const TYPES_OF: Readonly<Record<(typeof TYPE_SETTINGS)[number], readonly ProviderType[]>> = {
  region: ["bedrock"],
  access_key_id_env: ["bedrock"],
  secret_access_key_env: ["bedrock"],
  session_token_env: ["bedrock"],
  deployment: ["azure"],
  api_version: ["azure"],
  authority_host: ["azure"],
  tenant_id_env: ["azure"],
  client_id_env: ["azure"],
  client_secret_env: ["azure"],
  machine_credentials: ["bedrock", "azure"],
};

/** Checks the settings that only single types of providers have. */
function checkTypeSettings(provider: Loose<LlmProviderEntry>, type: ProviderType, reporter: Reporter): void {
  checkUrl(provider, "authority_host", provider.authority_host, reporter);
  for (const key of TYPE_SETTINGS) {
    if (provider[key] === undefined || TYPES_OF[key].includes(type)) continue;
    const types = TYPES_OF[key].join(" and ");
    reporter.warn({ container: provider, key }, `has an effect for provider type ${types} only`);
  }
  if (type === "azure") {
    requireKey(
      provider,
      "base_url",
      "is required for provider type azure: the address of the resource",
      reporter,
    );
    requireTogether(provider, ENTRA_KEYS, reporter);
    allowOne(provider, ["api_key_env", "client_secret_env", "machine_credentials"], reporter);
  }
  if (type === "bedrock") {
    if (provider.location_env === undefined) {
      requireKey(
        provider,
        "region",
        "is required for provider type bedrock: us-east-1, for example",
        reporter,
      );
    }
    if (provider.region !== undefined && !/^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/u.test(provider.region)) {
      reporter.error({ container: provider, key: "region" }, "must be an AWS region like us-east-1");
    }
    requireTogether(provider, AWS_KEYS.slice(0, 2), reporter);
    allowOne(provider, ["api_key_env", "access_key_id_env", "machine_credentials"], reporter);
  }
}

/** True if an entry names a credential of any kind that its type has. */
export function namesCredential(provider: Loose<LlmProviderEntry>): boolean {
  return (
    provider.api_key_env !== undefined ||
    provider.access_key_id_env !== undefined ||
    provider.client_secret_env !== undefined ||
    provider.machine_credentials === true
  );
}

type ProviderKey = keyof LlmProviderEntry;

function requireTogether(
  provider: Loose<LlmProviderEntry>,
  keys: readonly ProviderKey[],
  reporter: Reporter,
): void {
  const given = keys.find((key) => reporter.sources.hasChild(provider, key));
  if (given === undefined) return;
  for (const key of keys) requireKey(provider, key, `is required with ${given}`, reporter);
}

/** An error at each credential after the first: it would not be used. */
function allowOne(provider: Loose<LlmProviderEntry>, keys: readonly ProviderKey[], reporter: Reporter): void {
  const [used, ...others] = keys.filter((key) => provider[key] !== undefined && provider[key] !== false);
  for (const key of others) {
    reporter.error({ container: provider, key }, `must not be set beside ${used}`, "one credential is used");
  }
}

type PromotionEntry = Loose<NonNullable<CostSection["promotions"]>[number]>;

/** Checks that every rate is an exact price, and that at any time a model has one promotion at most. */
export function checkCost(cost: Loose<CostSection>, reporter: Reporter): void {
  for (const rates of Object.values(cost.model_rates ?? {})) {
    if (rates !== undefined) checkRates(rates, reporter);
  }
  const promotions = (cost.promotions ?? []).filter((promotion) => promotion !== undefined);
  const earlier: PromotionEntry[] = [];
  for (const promotion of promotions) {
    checkRates(promotion, reporter);
    if (!checkPeriod(promotion, reporter)) continue;
    const other = earlier.find((each) => overlap(each, promotion));
    if (other !== undefined) {
      const line = reporter.sources.find(other)?.line;
      const rule = `must not overlap another promotion of ${promotion.model}`;
      reporter.error({ container: promotion }, rule, line === undefined ? "" : `that of line ${line}`);
    }
    earlier.push(promotion);
  }
}

function checkRates(rates: object, reporter: Reporter): void {
  for (const [key, rate] of Object.entries(rates)) {
    if (typeof rate !== "number" || hasSixDecimals(rate)) continue;
    reporter.error({ container: rates, key }, "must have at most six decimals");
  }
}

/** True if the promotion can be compared with others. */
function checkPeriod(promotion: PromotionEntry, reporter: Reporter): boolean {
  const broken = (key: "start" | "end") =>
    promotion[key] === undefined && reporter.sources.hasChild(promotion, key);
  if (promotion.model === undefined || broken("start") || broken("end")) return false;
  const { start, end } = period(promotion);
  if (start < end) return true;
  reporter.error({ container: promotion, key: "end" }, "must be later than start");
  return false;
}

function overlap(one: PromotionEntry, other: PromotionEntry): boolean {
  const [first, second] = [period(one), period(other)];
  return one.model === other.model && first.start < second.end && second.start < first.end;
}

function period({ start, end }: PromotionEntry): { readonly start: number; readonly end: number } {
  return {
    start: parseConfigInstant(start ?? "") ?? -Infinity,
    end: parseConfigInstant(end ?? "") ?? Infinity,
  };
}

/**
 * Checks the budgets of a configuration that is otherwise valid: each limits something, USD have six decimals at most, and where USD
 * are limited every model that sessions can call has a price.
 */
export function checkBudgets(config: AgentConfig, reporter: Reporter): void {
  const { defaults, chains } = config;
  const ownChains = [...chains].filter(([, chain]) => chain.budgets?.session === undefined).map(([id]) => id);
  checkLimits(defaults.budgets?.session, ownChains, { config, reporter });
  for (const [id, { budgets }] of chains) {
    checkLimits(budgets?.session, [id], { config, reporter });
    checkLimits(budgets?.day, [id], { config, reporter });
  }
}

function checkLimits(
  limits: LimitsEntry | undefined,
  chainIds: readonly string[],
  { config, reporter }: { readonly config: AgentConfig; readonly reporter: Reporter },
): void {
  if (limits === undefined || !reporter.sources.has(limits)) return;
  const { usd, tokens, calls } = limits;
  if (usd === undefined && tokens === undefined && calls === undefined) {
    reporter.error({ container: limits }, "must limit usd, tokens or calls");
  }
  if (usd === undefined) return;
  const target = { container: limits, key: "usd" };
  if (!hasSixDecimals(usd)) {
    reporter.error(target, "must have at most six decimals");
  }
  const problem = unpricedProviders(config, chainIds);
  if (problem !== null) reporter.error(target, "needs the price of every model that is called", problem);
}
