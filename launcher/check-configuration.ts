import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { checkDirectory } from "#shared/agent-config/check-directory.ts";
import { AgentConfigError, formatProblem, type ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { credentialVariables } from "#shared/agent-config/provider-keys.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import { LaunchError } from "./launch-error.ts";

/**
 * Checks all files of the configuration before anything starts; otherwise each service would report its own. Prints the warnings.
 * @returns the effective configuration
 * @throws LaunchError with a report of every error.
 */
export async function checkConfiguration(
  { path, source = path, env }: ConfigDirectory,
  progress: (line: string) => void,
): Promise<AgentConfig> {
  const { config, errors, warnings } = await checkDirectory(path, env);
  // The position at which the operator has written it.
  const written = (problem: ConfigProblem): ConfigProblem => ({
    ...problem,
    file: problem.file.replace(path, source),
    message: problem.message.replaceAll(path, source),
  });
  for (const warning of warnings) progress(formatProblem(written(warning)));
  if (config === undefined || errors.length > 0) {
    throw new LaunchError(new AgentConfigError(errors.map(written)).message);
  }
  return config;
}

/** The names of the variables that hold credentials of LLM providers and are used for nothing else. */
export function providerKeys({ defaults, llmProviders, origins }: AgentConfig): string[] {
  const inserted = new Set([...origins.values()].flatMap(({ variables }) => variables));
  const named = [...llmProviders.values()].flatMap(credentialVariables);
  const ofMemory = defaults.memory.embedding?.api_key_env;
  return [...new Set([...named, ...(ofMemory === undefined ? [] : [ofMemory])])].filter(
    (name) => !inserted.has(name),
  );
}
