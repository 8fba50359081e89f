import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { checkStubbedServers } from "#shared/agent-config/checks/check-mcp-servers.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { AgentConfigError, type ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { readCheckedFile, similarFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { findScript } from "#shared/agent-config/scripts/find-script.ts";
import { readScript } from "#shared/agent-config/scripts/read-script.ts";
import { readStubTools, STUB_TOOLS } from "#shared/agent-config/stub-tools/read-stub-tools.ts";
import { envText, type Environment } from "#shared/service/environment.ts";

/** The content of a configuration directory, and all its problems, by file and position. */
export interface CheckedDirectory {
  /** Undefined if tarsy.yaml or llm-providers.yaml has an error. */
  readonly config: AgentConfig | undefined;
  readonly errors: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Checks all files of a configuration directory as the services will read them: tarsy.yaml, llm-providers.yaml, stub-tools.yaml and the
 * scripts of scripted providers. `env` should come from `readConfigEnvironment`. Models that retire soon are counted from `now`.
 */
export async function checkDirectory(
  configDir: string,
  env: Environment,
  now = new Date(),
): Promise<CheckedDirectory> {
  const agents = await checkAgents(configDir, env, now);
  const others = await Promise.all([
    checkScripts(configDir, env),
    checkStubs(configDir, env, agents.config),
    checkMisnamedStubs(configDir),
  ]);
  return {
    config: agents.config,
    errors: [...agents.errors, ...others.flatMap(({ errors }) => errors)],
    warnings: [...agents.warnings, ...others.flatMap(({ warnings }) => warnings)],
  };
}

type DirectoryProblems = Pick<CheckedDirectory, "errors" | "warnings">;

async function checkAgents(configDir: string, env: Environment, now: Date): Promise<CheckedDirectory> {
  try {
    const config = await loadAgentConfig({ configDir, env, now });
    return { config, errors: [], warnings: config.warnings };
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    return { config: undefined, errors: error.problems, warnings: error.warnings };
  }
}

/** Checks the scripts of all scripted providers, also of those that no chain uses. Missing ones are reported with their provider. */
async function checkScripts(configDir: string, env: Environment): Promise<DirectoryProblems> {
  const file = await readCheckedFile(
    configDir,
    "llm-providers.yaml",
    LlmProvidersFile,
    new Reporter(env),
    env,
  );
  const named = Object.values(file?.value.llm_providers ?? {}).flatMap((provider) =>
    provider?.type === "scripted" && provider.script !== undefined ? [provider.script] : [],
  );
  const read = [...new Set(named)].sort().map(async (script) => {
    if (findScript(configDir, script) !== "file") return [];
    const path = join(configDir, script);
    const result = readScript(path, await readFile(path, "utf8"));
    return result.script === undefined ? result.problems : [];
  });
  return { errors: (await Promise.all(read)).flat(), warnings: [] };
}

/** `env` is completed as the tool-runner, which reads the file, does it. */
async function checkStubs(
  configDir: string,
  env: Environment,
  config: AgentConfig | undefined,
): Promise<DirectoryProblems> {
  const files = [envText(env, "TOOL_RUNNER_ENV_PATH", "tool-runner.env"), ".env"];
  const ownEnv = readConfigEnvironment(configDir, env, files);
  const reporter = new Reporter(ownEnv);
  const file = await readStubTools(configDir, ownEnv, reporter);
  const { servers } = file ?? {};
  if (servers !== undefined && config !== undefined) checkStubbedServers(servers, config, reporter);
  return { errors: reporter.errors(), warnings: reporter.warnings() };
}

/** Nothing else would say that the name of stub-tools.yaml is misspelt: there are then no stubs. */
async function checkMisnamedStubs(configDir: string): Promise<DirectoryProblems> {
  const similar = existsSync(join(configDir, STUB_TOOLS))
    ? undefined
    : await similarFile(configDir, STUB_TOOLS);
  if (similar === undefined) return { errors: [], warnings: [] };
  const place = { file: join(configDir, similar), line: 1, column: 1, path: "" };
  const message = `is not read; did you mean ${STUB_TOOLS}? rename it`;
  return { errors: [], warnings: [{ severity: "warning", ...place, message }] };
}
