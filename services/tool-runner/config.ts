import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { Environment } from "#shared/environment.ts";
import { configDirectory, natsUrl, readServiceConfig, type ServiceConfig } from "#shared/service-config.ts";

export interface ToolRunnerConfig extends ServiceConfig {
  readonly natsUrl: string;
}

/** Reads the environment over `<config-dir>/.env`. Throws TerminalError naming the variable. */
export function loadConfig(processEnv: Environment): ToolRunnerConfig {
  const env = readConfigEnvironment(configDirectory(processEnv), processEnv);
  return {
    ...readServiceConfig(env, { name: "TOOL_RUNNER_HEALTH_PORT", fallback: 8093 }),
    natsUrl: natsUrl(env),
  };
}
