import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { credentialVariables } from "#shared/agent-config/provider-keys.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import { LaunchError } from "./launch-error.ts";

/**
 * Validates the configuration before anything starts; otherwise each service would report the same errors.
 * @returns the names of the variables that hold credentials of LLM providers and are used for nothing else
 * @throws LaunchError with a report of every error.
 */
export async function checkConfiguration({ path, env }: ConfigDirectory): Promise<readonly string[]> {
  try {
    return providerKeys(await loadAgentConfig({ configDir: path, env }));
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    throw new LaunchError(error.message, { cause: error });
  }
}

function providerKeys({ llmProviders, origins }: AgentConfig): string[] {
  const inserted = new Set([...origins.values()].flatMap(({ variables }) => variables));
  const named = [...llmProviders.values()].flatMap(credentialVariables);
  return [...new Set(named)].filter((name) => !inserted.has(name));
}
