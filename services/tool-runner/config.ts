import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envInteger, type Environment } from "#shared/service/environment.ts";
import {
  configDirectory,
  databaseUrl,
  natsUrl,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import { loadStubTools } from "./stub/load-stub-tools.ts";
import type { ToolCatalogue } from "./tool.ts";

interface ToolRunnerConfig extends ServiceConfig {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly tools: ToolCatalogue;
  /** Warnings about the stub tools file, one line each. */
  readonly warnings: readonly string[];
  /** How long running calls may continue after a stop. */
  readonly stopGraceMs: number;
}

/** Reads the environment over `<config-dir>/.env`, and the stub tools. Throws TerminalError listing every mistake. */
export async function loadConfig(processEnv: Environment): Promise<ToolRunnerConfig> {
  const configDir = configDirectory(processEnv);
  const env = readConfigEnvironment(configDir, processEnv);
  return {
    ...readServiceConfig(env, { name: "TOOL_RUNNER_HEALTH_PORT", fallback: 8093 }),
    databaseUrl: databaseUrl(env),
    natsUrl: natsUrl(env),
    stopGraceMs: envInteger(env, "TOOL_STOP_GRACE_MS", { fallback: 10_000, min: 0, max: 12_000 }),
    ...(await loadStubTools(configDir, env)),
  };
}
