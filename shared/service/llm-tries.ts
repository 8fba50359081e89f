import { envInteger, type Environment } from "#shared/service/environment.ts";

/**
 * `LLM_TRIES`: how often the llm-gateway tries a call before its first output. The executor reads it too, because what a call can
 * cost depends on it.
 */
export function llmTries(env: Environment): number {
  return envInteger(env, "LLM_TRIES", { fallback: 3, min: 1, max: 10 });
}
