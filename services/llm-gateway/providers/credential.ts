import { isKeyless } from "#shared/agent-config/provider-keys.ts";
import type { Environment } from "#shared/service/environment.ts";
import { terminal } from "../errors/llm-error.ts";
import type { ProviderConfig } from "./provider-config.ts";

/**
 * The value of the variable `name`. Throws TerminalError `credentials` if it is unset; the error names only the
 * variable.
 */
export function credential(name: string, env: Environment): string {
  const value = env[name]?.trim();
  if (value === undefined || value === "") {
    throw terminal(
      "credentials",
      `environment variable ${name} is not set in the LLM gateway: set it there, or in .env beside the configuration`,
    );
  }
  return value;
}

/** The same for an API key. Also throws `credentials` for characters that an HTTP header cannot carry. */
export function apiKey(name: string, env: Environment): string {
  const value = credential(name, env);
  if (!/^[\x21-\x7E]+$/u.test(value)) {
    throw terminal(
      "credentials",
      `environment variable ${name} holds characters that no key has: set it to the key alone`,
    );
  }
  return value;
}

/**
 * The API key of a provider's settings; undefined if they name no variable and the configuration may do without a key. Throws
 * TerminalError `credentials` if it may not, and what apiKey throws.
 */
export function providerKey(
  { provider, apiKeyEnv, baseUrl }: Pick<ProviderConfig, "provider" | "apiKeyEnv" | "baseUrl">,
  env: Environment,
): string | undefined {
  if (apiKeyEnv !== "") return apiKey(apiKeyEnv, env);
  if (isKeyless({ type: provider, base_url: baseUrl })) return undefined;
  throw terminal(
    "credentials",
    "the provider has no api_key_env: it must name the variable that holds the key, unless base_url is set",
  );
}
