import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import { TYPE_SETTINGS } from "#shared/contracts/provider-hash.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkUrl, requireKey } from "#shared/agent-config/checks/check-keys.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";

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
export function checkTypeSettings(
  provider: Loose<LlmProviderEntry>,
  type: ProviderType,
  reporter: Reporter,
): void {
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

type Key = keyof LlmProviderEntry;

function requireTogether(provider: Loose<LlmProviderEntry>, keys: readonly Key[], reporter: Reporter): void {
  const given = keys.find((key) => reporter.sources.hasChild(provider, key));
  if (given === undefined) return;
  for (const key of keys) requireKey(provider, key, `is required with ${given}`, reporter);
}

/** An error at each credential after the first: it would not be used. */
function allowOne(provider: Loose<LlmProviderEntry>, keys: readonly Key[], reporter: Reporter): void {
  const [used, ...others] = keys.filter((key) => provider[key] !== undefined && provider[key] !== false);
  for (const key of others) {
    reporter.error({ container: provider, key }, `must not be set beside ${used}`, "one credential is used");
  }
}
