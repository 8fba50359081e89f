import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { findKeys, type FoundKey } from "#shared/agent-config/found/find-keys.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";

/** A configuration directory, and why it is this one. */
export interface ChosenDirectory {
  /** Absolute. */
  readonly path: string;
  /** The option `--config-dir`, the variable CONFIG_DIR, a key in the environment or in deploy/config/.env, or none of them. */
  readonly by: "option" | "variable" | "key" | "demo";
  /** The first key that was found; only if that is the reason. */
  readonly key?: FoundKey;
  /** The environment merged with the directory's `.env`; the environment takes precedence. */
  readonly env: Environment;
}

interface ChooseDirectory {
  /** The checkout. */
  readonly root: string;
  /** Relative paths of the user are resolved from here. */
  readonly userDir: string;
  /** The value of `--config-dir`. */
  readonly configDir: string | undefined;
  readonly env: Environment;
}

/**
 * Chooses the configuration directory: `--config-dir`, else CONFIG_DIR, else deploy/config if its `.env` or the environment sets the
 * key of a built-in provider, else deploy/config/demo. Throws TerminalError `no_such_directory` if the chosen directory does not
 * exist, `invalid_configuration` if its `.env` cannot be read.
 */
export function chooseConfigDirectory(options: ChooseDirectory): ChosenDirectory {
  const { root, userDir, configDir, env } = options;
  const variable = env["CONFIG_DIR"] ?? "";
  if (configDir !== undefined) return named("option", "--config-dir", configDir, { userDir, env });
  if (variable !== "") return named("variable", "CONFIG_DIR", variable, { userDir, env });
  const usual = join(root, "deploy", "config");
  const withKey = readConfigEnvironment(usual, env);
  const [key] = findKeys(withKey);
  if (key !== undefined) return { path: usual, by: "key", key, env: withKey };
  const path = join(usual, "demo");
  return { path, by: "demo", env: readConfigEnvironment(path, env) };
}

function named(
  by: ChosenDirectory["by"],
  name: string,
  value: string,
  { userDir, env }: Pick<ChooseDirectory, "userDir" | "env">,
): ChosenDirectory {
  const path = resolve(userDir, value);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TerminalError(
      "no_such_directory",
      `${name} is ${value}, but there is no directory ${path}; name the directory that contains tarsy.yaml.`,
    );
  }
  return { path, by, env: readConfigEnvironment(path, env) };
}
