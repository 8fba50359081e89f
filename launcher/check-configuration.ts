import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import type { ConfigDirectory } from "./config-directory.ts";
import { LaunchError } from "./launch-error.ts";

/**
 * Reads the configuration before anything is started with it: each service would refuse it, one by one.
 * @throws LaunchError with the report of every mistake.
 */
export async function checkConfiguration({ path, env }: ConfigDirectory): Promise<void> {
  try {
    await loadAgentConfig({ configDir: path, env });
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    throw new LaunchError(error.message, { cause: error });
  }
}
