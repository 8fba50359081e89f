import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import { LaunchError } from "./launch-error.ts";

/**
 * Validates the configuration before anything starts; otherwise each service would report the same errors.
 * @throws LaunchError with a report of every error.
 */
export async function checkConfiguration({ path, env }: ConfigDirectory): Promise<void> {
  try {
    await loadAgentConfig({ configDir: path, env });
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    throw new LaunchError(error.message, { cause: error });
  }
}
