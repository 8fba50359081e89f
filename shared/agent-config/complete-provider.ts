import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in-config.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import type { Environment } from "#shared/service/environment.ts";

/** An entry with its defaults, and with project and location as values: they are not secret. */
export function completeProvider(entry: LlmProviderEntry, env: Environment): LlmProvider {
  const project = entry.project_env === undefined ? undefined : env[entry.project_env];
  const location = entry.location_env === undefined ? undefined : env[entry.location_env];
  const keyName = keyVariable(entry);
  const { scripted, max_tool_result_tokens } = BUILT_IN_SETTINGS;
  const limit = entry.type === "scripted" ? scripted.max_tool_result_tokens : max_tool_result_tokens;
  return {
    ...entry,
    ...(keyName === undefined ? {} : { api_key_env: keyName }),
    model: entry.model ?? scripted.model,
    max_tool_result_tokens: entry.max_tool_result_tokens ?? limit,
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
  };
}
