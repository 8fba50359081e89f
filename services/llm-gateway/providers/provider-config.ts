import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import { providerTimeouts } from "#shared/agent-config/provider-timeouts.ts";
import { typeSettings, type TypeSettings } from "#shared/agent-config/provider-keys.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../errors/llm-error.ts";
import type { StallLimits } from "./guard-stalls.ts";

/** The settings of one call: model, limits and backend as the call says, all else from the gateway's configuration. */
export interface ProviderConfig {
  /** The provider's name in the configuration. */
  readonly name: string;
  /** The provider's type. */
  readonly provider: string;
  readonly model: string;
  readonly backend: string;
  /** Names of variables; empty for none, as in all fields below. */
  readonly apiKeyEnv: string;
  readonly credentialsEnv: string;
  readonly baseUrl: string;
  readonly project: string;
  readonly location: string;
  readonly script: string;
  /** The settings that only single types have; undefined where the entry has none. */
  readonly settings: TypeSettings;
  readonly maxToolResultTokens: number;
  /** Undefined for the provider's own limit. */
  readonly maxOutputTokens: number | undefined;
  /** From the entry's `timeouts`; undefined for the gateway's own limits. */
  readonly stall: StallLimits | undefined;
  readonly nativeTools: Readonly<Record<string, boolean>>;
}

/** The gateway's providers by name. */
export type ConfiguredProviders = Pick<ReadonlyMap<string, LlmProvider>, "get" | "keys">;

/** How many names an error lists. */
const MAX_LISTED = 20;

/**
 * The settings of a call. Throws TerminalError `unknown_provider` if the gateway has no provider of that name, and
 * `changed_provider` if it is of another type than the caller knows.
 */
export function providerConfig(call: LLMConfig, configured: ConfiguredProviders): ProviderConfig {
  const entry = findProvider(call, configured);
  return {
    name: call.providerName,
    provider: entry.type,
    model: call.model,
    backend: call.backend,
    apiKeyEnv: entry.api_key_env ?? "",
    credentialsEnv: entry.credentials_env ?? "",
    baseUrl: entry.base_url ?? "",
    project: entry.project ?? "",
    location: entry.location ?? "",
    script: entry.script ?? "",
    settings: typeSettings(entry),
    maxToolResultTokens: call.maxToolResultTokens,
    maxOutputTokens: call.maxOutputTokens > 0 ? call.maxOutputTokens : undefined,
    stall: stallLimits(entry),
    nativeTools: call.nativeTools,
  };
}

function stallLimits(entry: LlmProvider): StallLimits | undefined {
  const timeouts = providerTimeouts(entry);
  return timeouts && { firstChunkMs: timeouts.firstChunkMs, betweenChunksMs: timeouts.stallMs };
}

function findProvider(
  { providerName, providerType }: LLMConfig,
  configured: ConfiguredProviders,
): LlmProvider {
  const entry = configured.get(providerName);
  if (entry === undefined) {
    const names = [...configured.keys()].slice(0, MAX_LISTED).join(", ");
    throw terminal(
      "unknown_provider",
      `the LLM gateway has no provider ${quoted(providerName)}, it has ${names}: add it to the gateway's llm-providers.yaml and restart the gateway, then submit the alert again`,
    );
  }
  if (entry.type !== providerType) {
    throw terminal(
      "changed_provider",
      `provider ${quoted(providerName)} is of type ${entry.type} in the LLM gateway, but the session was created with type ${quoted(providerType)}: give the changed provider a new name in llm-providers.yaml and restart the services, or submit the alert again`,
    );
  }
  return entry;
}

/** Names in an error come from the call. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
