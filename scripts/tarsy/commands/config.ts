import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { AgentConfigError, formatProblem, type ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { errorMessage } from "#shared/errors.ts";
import { UsageError, type Command } from "../command.ts";
import { JSON_OPTION } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy config check|show` */
export const configCommand: Command = {
  name: "config",
  args: "check | show",
  maxArgs: 1,
  summary:
    "Reports every error and warning of the configuration, or prints its effective values and their origin",
  words: ["check", "show"],
  options: {
    "config-dir": { value: "DIR", help: "the directory (default CONFIG_DIR, then ./deploy/config)" },
    ...JSON_OPTION,
  },
  run: async ({ positionals: [action], option, flag, env, terminal }) => {
    if (action !== "check" && action !== "show") {
      throw new UsageError(`${["config", action].filter(Boolean).join(" ")}: use check or show`);
    }
    const directory = option("config-dir") ?? env["CONFIG_DIR"] ?? "deploy/config";
    const warn = (warnings: readonly ConfigProblem[]) => {
      for (const warning of warnings) terminal.warn(`${formatProblem(warning)}\n`);
    };
    try {
      const config = await loadAgentConfig({
        configDir: directory,
        env: readConfigEnvironment(directory, env),
      });
      warn(config.warnings);
      if (flag("json") && action === "check") {
        terminal.write(`${JSON.stringify({ valid: true, ...config.counts })}\n`);
      } else if (action === "show") {
        terminal.write(flag("json") ? `${JSON.stringify(effectiveConfig(config))}\n` : showConfig(config));
      } else {
        const { agents, chains, mcpServers, llmProviders } = config.counts;
        terminal.write(
          `${directory} is valid: ${agents} agents, ${chains} chains, ${mcpServers} MCP servers, ${llmProviders} providers\n`,
        );
      }
      return EXIT.done;
    } catch (error) {
      if (error instanceof AgentConfigError) warn(error.warnings);
      if (flag("json") && action === "check") {
        terminal.write(`${JSON.stringify({ valid: false, error: errorMessage(error) })}\n`);
      }
      terminal.warn(`${errorMessage(error)}\n`);
      return EXIT.failed;
    }
  },
};
