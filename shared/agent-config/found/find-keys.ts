import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Environment } from "#shared/service/environment.ts";
import { secretVariable } from "#shared/service/secret-variable.ts";

/** A variable that holds an API key, and the first built-in provider that reads it. */
export interface FoundKey {
  readonly variable: string;
  readonly provider: string;
  readonly entry: LlmProviderEntry;
}

/**
 * The API keys of built-in providers that `env` sets, also by a variable NAME_FILE, in the order of the built-in providers. The values are
 * not returned.
 */
export function findKeys(env: Environment): readonly FoundKey[] {
  const found = new Map<string, FoundKey>();
  for (const [provider, entry] of builtInConfig().llmProviders) {
    const variable = keyVariable(entry);
    if (variable === undefined || found.has(variable) || !isSet(env, variable)) continue;
    found.set(variable, { variable, provider, entry });
  }
  return [...found.values()];
}

/** False also for a variable NAME_FILE that names no readable file: what uses the variable reports it. */
function isSet(env: Environment, variable: string): boolean {
  try {
    return secretVariable(env, variable) !== "";
  } catch {
    return false;
  }
}
