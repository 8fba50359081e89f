import type { Environment } from "#shared/environment.ts";
import { refusal } from "../llm-error.ts";

/**
 * The key in the variable of this name. Undefined where no name is given and a server of one's own is called, which
 * may want none. Throws TerminalError `credentials` naming the variable, never its value.
 */
export function credential(name: string, baseUrl: string, env: Environment): string | undefined {
  if (name === "") {
    if (baseUrl !== "") return undefined;
    throw refusal(
      "credentials",
      "llm_config.api_key_env is empty: it must name the variable that holds the key, unless base_url is set",
    );
  }
  const value = env[name]?.trim();
  if (value === undefined || value === "") {
    throw refusal(
      "credentials",
      `environment variable ${name} is not set in the LLM gateway: set it there, or in .env beside the configuration`,
    );
  }
  if (!/^[\x21-\x7E]+$/u.test(value)) {
    throw refusal(
      "credentials",
      `environment variable ${name} holds characters that no key has: set it to the key alone`,
    );
  }
  return value;
}
