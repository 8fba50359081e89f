import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { keyVariable, type NamingEntry } from "#shared/agent-config/provider-keys.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { type Environment, secretVariable } from "#shared/service/environment.ts";

/** A variable that holds a credential, and the built-in provider that reads it. */
export interface FoundKey {
  readonly variable: string;
  readonly provider: string;
  readonly entry: LlmProviderEntry;
}

/** The built-in providers among which the first one with a key is chosen. The others share the key of one of these. */
export const PREFERRED_PROVIDERS = [
  "google-default",
  "anthropic-default",
  "openai-default",
  "xai-default",
  "openrouter-default",
  "mistral-default",
  "groq-default",
  "deepseek-default",
  "vertexai-default",
] as const;

/** The variables that Google's clients read on Vertex AI, which has no keys. */
const VERTEX_CREDENTIALS = "GOOGLE_APPLICATION_CREDENTIALS";

/**
 * The credentials of built-in providers that `env` sets, also by a variable NAME_FILE, in the order in which a provider is chosen.
 * The values are not returned.
 */
export function findKeys(env: Environment): readonly FoundKey[] {
  const { llmProviders } = builtInConfig();
  return PREFERRED_PROVIDERS.flatMap((provider) => {
    const entry = llmProviders.get(provider);
    const variable = entry && keyIn(env, entry);
    return entry === undefined || variable === undefined ? [] : [{ variable, provider, entry }];
  });
}

/**
 * The provider of a configuration that names none as its default: the first of the preferred ones whose key is set. `providers` are
 * all entries by name. Undefined without a key.
 */
export function providerWithKey(
  env: Environment,
  providers: ReadonlyMap<string, VertexNames>,
): (typeof PREFERRED_PROVIDERS)[number] | undefined {
  return PREFERRED_PROVIDERS.find((name) => keyIn(env, providers.get(name) ?? {}) !== undefined);
}

type VertexNames = NamingEntry & { readonly project_env?: string; readonly location_env?: string };

/** The variable with the credential of an entry; undefined if it is not set, or the entry needs none. */
function keyIn(env: Environment, entry: VertexNames): string | undefined {
  const { type, project_env = "", location_env = "", credentials_env = VERTEX_CREDENTIALS } = entry;
  const [variable, ...others] =
    type === "vertexai" ? [credentials_env, project_env, location_env] : [keyVariable(entry) ?? ""];
  return [variable, ...others].every((name) => isSet(env, name)) ? variable : undefined;
}

/** True if the variable has a value. False also for a variable NAME_FILE that names no readable file: what uses the variable reports it. */
export function isSet(env: Environment, variable: string): boolean {
  try {
    return variable !== "" && secretVariable(env, variable) !== "";
  } catch {
    return false;
  }
}
