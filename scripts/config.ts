import { parseArgs } from "node:util";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { AgentConfigError, formatProblem } from "#shared/agent-config/config-problem.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { errorMessage } from "#shared/errors.ts";

const USAGE = `usage: npm run config -- check|show [--config-dir DIR]

  check   reports every error and warning; exits 1 if there is an error
  show    prints the effective configuration and the origin of each value

The directory defaults to CONFIG_DIR, then ./deploy/config.
`;

/** Runs one command; returns the exit code: 0, 1 for an unusable configuration, 2 for invalid arguments. */
async function main(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { command, configDir } = readArguments(args);
  if (command !== "check" && command !== "show") {
    process.stderr.write(USAGE);
    return 2;
  }
  const directory = configDir ?? environment["CONFIG_DIR"] ?? "deploy/config";
  try {
    const env = readConfigEnvironment(directory, environment);
    const config = await loadAgentConfig({ configDir: directory, env });
    for (const warning of config.warnings) process.stderr.write(`${formatProblem(warning)}\n`);
    const { agents, chains, mcpServers, llmProviders } = config.counts;
    const summary = `${directory} is valid: ${agents} agents, ${chains} chains, ${mcpServers} MCP servers, ${llmProviders} providers\n`;
    process.stdout.write(command === "show" ? showConfig(config) : summary);
    return 0;
  } catch (error) {
    if (error instanceof AgentConfigError) {
      for (const warning of error.warnings) process.stderr.write(`${formatProblem(warning)}\n`);
    }
    process.stderr.write(`${errorMessage(error)}\n`);
    return 1;
  }
}

function readArguments(args: string[]): { command?: string | undefined; configDir?: string | undefined } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { "config-dir": { type: "string" } },
    });
    return positionals.length === 1 ? { command: positionals[0], configDir: values["config-dir"] } : {};
  } catch {
    return {};
  }
}

process.exitCode = await main(process.argv.slice(2), process.env);
