import { checkDirectory, type CheckedDirectory } from "#shared/agent-config/check-directory.ts";
import { chooseConfigDirectory, type ChosenDirectory } from "#shared/agent-config/choose-config-directory.ts";
import { AgentConfigError, formatProblem } from "#shared/agent-config/config-problem.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { TerminalError } from "#shared/errors.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { JSON_OPTION } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { PROJECT_ROOT } from "../project-root.ts";

/** `tarsy config check|show` */
export const configCommand: Command = {
  name: "config",
  args: "check | show",
  maxArgs: 1,
  summary:
    "Reports every error and warning of the configuration, or prints its effective values and their origin",
  details: `Reads the directory that npm start would use: CONFIG_DIR, else deploy/config if the key of an LLM provider
is set, else deploy/config/demo; with stub-tools.yaml and the scripts of scripted providers.`,
  words: ["check", "show"],
  options: {
    "config-dir": { value: "DIR", help: "the directory with tarsy.yaml" },
    strict: { help: "makes warnings count as errors: exit code 1" },
    ...JSON_OPTION,
  },
  run: async (call) => {
    const { flag, terminal } = call;
    const [action] = call.positionals;
    if (action !== "check" && action !== "show") {
      throw new UsageError(`${["config", action].filter(Boolean).join(" ")}: use check or show`);
    }
    const directory = choose(call);
    const checked = await checkDirectory(directory.path, directory.env);
    const { config, errors, warnings } = checked;
    if (action === "check" && flag("json")) terminal.write(`${JSON.stringify(report(directory, checked))}\n`);
    const why = whyChosen(directory);
    if (why !== "") terminal.warn(`${directory.path}: ${why}\n`);
    for (const warning of warnings) terminal.warn(`${formatProblem(warning)}\n`);
    if (config === undefined || errors.length > 0) {
      terminal.warn(`${new AgentConfigError(errors).message}\n`);
      return EXIT.failed;
    }
    if (action === "show") {
      terminal.write(flag("json") ? `${JSON.stringify(effectiveConfig(config))}\n` : showConfig(config));
    }
    if (flag("strict") && warnings.length > 0) {
      const count = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
      terminal.warn(`${directory.path} has ${count}, which --strict does not allow\n`);
      return EXIT.failed;
    }
    if (action === "check" && !flag("json")) {
      const { agents, chains, mcpServers, llmProviders } = config.counts;
      terminal.write(
        `${directory.path} is valid: ${counted(agents, "agent")}, ${counted(chains, "chain")}, ${counted(mcpServers, "MCP server")}, ${counted(llmProviders, "provider")}\n`,
      );
    }
    return EXIT.done;
  },
};

function choose({ option, env }: CommandCall): ChosenDirectory {
  try {
    return chooseConfigDirectory({
      root: PROJECT_ROOT,
      // npm changes to the directory of package.json and passes the user's own directory in INIT_CWD.
      userDir: env["INIT_CWD"] ?? process.cwd(),
      configDir: option("config-dir"),
      env,
    });
  } catch (error) {
    const isMistyped = error instanceof TerminalError && error.code === "no_such_directory";
    if (!isMistyped || option("config-dir") === undefined) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** The reason why a directory was chosen that neither an option nor a variable names. */
function whyChosen({ by, key }: ChosenDirectory): string {
  if (key !== undefined) return `${key.variable} is set, so npm start uses this directory`;
  return by === "demo" ? "no key of an LLM provider is set, so npm start uses the demo" : "";
}

/** The result for programs. */
function report({ path }: ChosenDirectory, { config, errors, warnings }: CheckedDirectory) {
  const isValid = errors.length === 0;
  return {
    valid: isValid,
    directory: path,
    ...(isValid ? config?.counts : { error: new AgentConfigError(errors).message }),
    errors,
    warnings,
  };
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
