import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envText, type Environment } from "#shared/service/environment.ts";
import type { CommandCall, CommandOption } from "./command.ts";

/** The directory that `tarsy init` writes unless it gets another. */
export const DIRECTORY = "tarsy-config";

export const CONFIG_DIR_OPTION: Readonly<Record<string, CommandOption>> = {
  "config-dir": { value: "DIR", help: `the configuration directory (CONFIG_DIR, default ${DIRECTORY})` },
};

/** npm changes to the directory of package.json and passes the user's own directory in INIT_CWD. */
export function userDirectory({ env }: Pick<CommandCall, "env">): string {
  return env["INIT_CWD"] ?? process.cwd();
}

/** The configuration directory of a command that may write there: never one of the checkout that was not named. */
export function ownDirectory({ option, env }: Pick<CommandCall, "option" | "env">): string {
  const named = option("config-dir") ?? envText(env, "CONFIG_DIR", DIRECTORY);
  return resolve(userDirectory({ env }), named);
}

/** The directory of a command that only reads. Throws an Error without a tarsy.yaml there. */
export function existingDirectory(call: Pick<CommandCall, "option" | "env">): string {
  const directory = ownDirectory(call);
  if (existsSync(resolve(directory, "tarsy.yaml"))) return directory;
  throw new Error(`${directory} has no tarsy.yaml: name the directory with --config-dir`);
}

/** The variables of the tool-runner for a configuration directory. */
export function runnerEnvironment(directory: string, env: Environment): Environment {
  return readConfigEnvironment(directory, env, [
    envText(env, "TOOL_RUNNER_ENV_PATH", "tool-runner.env"),
    ".env",
  ]);
}
