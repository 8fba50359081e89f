import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Environment, readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { LaunchError } from "./launch-error.ts";

export type ConfigDirectory = {
  /** Absolute. */
  readonly path: string;
  /** Nobody chose it and there is no key, so the scripted model answers. */
  readonly isDemo: boolean;
  /** The environment with what the directory's `.env` adds; the real one wins. */
  readonly env: Environment;
};

type FindConfigDirectory = {
  readonly root: string;
  /** What relative paths of the user count from. */
  readonly userDir: string;
  readonly option: string | undefined;
  readonly env: Environment;
};

function chosen({ userDir, option, env }: FindConfigDirectory): string | undefined {
  const [name, value] = option === undefined ? ["CONFIG_DIR", env["CONFIG_DIR"]] : ["--config-dir", option];
  if (value === undefined || value === "") return undefined;
  const path = resolve(userDir, value);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new LaunchError(
    `${name} is ${value}, but there is no directory ${path}; name the one that holds tarsy.yaml.`,
    {
      exitCode: option === undefined ? 1 : 2,
    },
  );
}

/**
 * Chooses the configuration directory: the option, CONFIG_DIR, else deploy/config where GOOGLE_API_KEY is set there
 * or in the environment, else the demo.
 * @throws LaunchError when the chosen one is no directory, TerminalError when a `.env` cannot be read.
 */
export function findConfigDirectory(options: FindConfigDirectory): ConfigDirectory {
  const explicit = chosen(options);
  const usual = join(options.root, "deploy", "config");
  const hasKey = (readConfigEnvironment(usual, options.env)["GOOGLE_API_KEY"] ?? "") !== "";
  const path = explicit ?? (hasKey ? usual : join(usual, "demo"));
  return { path, isDemo: explicit === undefined && !hasKey, env: readConfigEnvironment(path, options.env) };
}
