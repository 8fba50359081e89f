import type { Environment } from "#shared/environment.ts";
import { terminal } from "../errors/llm-error.ts";

/** The value of the variable of this name. Throws TerminalError `credentials` naming the variable, never its value. */
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

/** The same for a key, which travels in a header: throws `credentials` for what no header can carry, too. */
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
