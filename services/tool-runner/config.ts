import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { envInteger, envText, type Environment } from "#shared/service/environment.ts";
import {
  configDirectory,
  databaseUrl,
  natsUrl,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import { applyToolRules } from "./stub/apply-tool-rules.ts";
import { loadStubTools } from "./stub/load-stub-tools.ts";
import { loadServers } from "./mcp/load-servers.ts";
import { serverSecrets } from "./mcp/server-secrets.ts";
import type { TokenKeys } from "./mcp/oauth/token-keys.ts";
import type { ServerSettings } from "./mcp/server-settings.ts";
import { serverUser, type ServerUser } from "./mcp/stdio/server-user.ts";
import type { RunbookSettings } from "./runbooks/runbook-settings.ts";
import type { ToolCatalogue } from "./tool.ts";

export interface ToolRunnerConfig extends ServiceConfig {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly tools: ToolCatalogue;
  readonly servers: readonly ServerSettings[];
  /** Keyed by id, why a configured MCP server cannot be used. */
  readonly unavailable: ReadonlyMap<string, string>;
  /** The environment with the variables of the files, which servers' processes get little of. */
  readonly environment: Environment;
  /** The user of the processes of MCP servers; undefined for this process's own. */
  readonly serverUser: ServerUser | undefined;
  /** The keys that encrypt authorizations by people; undefined without MCP_TOKEN_KEYS. */
  readonly tokenKeys: TokenKeys | undefined;
  /** The settings for fetching runbooks; undefined where none is. */
  readonly runbooks: RunbookSettings | undefined;
  /** Warnings about the stub tools file and the MCP servers, one line each. */
  readonly warnings: readonly string[];
  /** Processes of MCP servers at a time. */
  readonly maxProcesses: number;
  /** Keyed by server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  /** The time for which running calls may continue after a stop. */
  readonly stopGraceMs: number;
}

/**
 * Reads the environment over `<config-dir>/tool-runner.env`, or the file that TOOL_RUNNER_ENV_PATH names, which no other service
 * reads, over `<config-dir>/.env`, the MCP servers and the stub tools. Throws TerminalError listing every mistake.
 */
export async function loadToolRunnerConfig(processEnv: Environment): Promise<ToolRunnerConfig> {
  const configDir = configDirectory(processEnv);
  const env = readConfigEnvironment(configDir, processEnv, [
    envText(processEnv, "TOOL_RUNNER_ENV_PATH", "tool-runner.env"),
    ".env",
  ]);
  const [stubs, mcp] = await Promise.all([loadStubTools(configDir, env), loadServers(configDir, env)]);
  const token = [mcp.runbooks?.githubToken ?? ""].filter((text) => text !== "");
  const service = readServiceConfig(env, { name: "TOOL_RUNNER_HEALTH_PORT", fallback: 8093 });
  return {
    ...service,
    knownSecrets: [...new Set([...service.knownSecrets, ...mcp.servers.flatMap(serverSecrets), ...token])],
    databaseUrl: databaseUrl(env),
    natsUrl: natsUrl(env),
    stopGraceMs: envInteger(env, "TOOL_STOP_GRACE_MS", { fallback: 10_000, min: 0, max: 12_000 }),
    maskingRules: mcp.maskingRules,
    maxProcesses: envInteger(env, "MCP_MAX_PROCESSES", { fallback: 64, min: 1, max: 1_024 }),
    tools: applyToolRules(stubs.tools, mcp.rules),
    servers: mcp.servers,
    runbooks: mcp.runbooks,
    tokenKeys: mcp.tokenKeys,
    unavailable: mcp.unavailable,
    environment: env,
    serverUser: serverUser(env),
    warnings: [...stubs.warnings, ...mcp.warnings],
  };
}
