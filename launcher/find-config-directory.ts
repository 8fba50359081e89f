import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { Environment } from "#shared/service/environment.ts";
import { secretVariable } from "#shared/service/secret-variable.ts";
import { findLocalModel, type LocalModel, type LocalModelOptions } from "./find-local-model.ts";
import { LaunchError } from "./launch-error.ts";

export type ConfigDirectory = {
  /** Absolute path. */
  readonly path: string;
  /** No directory was chosen and no key is set, so the scripted model answers. */
  readonly isDemo: boolean;
  /** The environment merged with the directory's `.env`; the environment takes precedence. */
  readonly env: Environment;
  /** The model of deploy/config/local-model, if that was chosen. */
  readonly localModel?: LocalModel;
};

type FindConfigDirectory = {
  readonly root: string;
  /** Relative paths of the user are resolved from here. */
  readonly userDir: string;
  readonly configDir: string | undefined;
  readonly localModel: LocalModelOptions | undefined;
  readonly env: Environment;
};

function findChosenDirectory({ userDir, configDir, env }: FindConfigDirectory): string | undefined {
  const [name, value] =
    configDir === undefined ? ["CONFIG_DIR", env["CONFIG_DIR"]] : ["--config-dir", configDir];
  if (value === undefined || value === "") return undefined;
  const path = resolve(userDir, value);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new LaunchError(
    `${name} is ${value}, but there is no directory ${path}; name the directory that contains tarsy.yaml.`,
    {
      exitCode: configDir === undefined ? 1 : 2,
    },
  );
}

/**
 * Chooses the configuration directory: deploy/config/local-model for a model that the command line names, else --config-dir, else CONFIG_DIR, else deploy/config if GOOGLE_API_KEY is set in its
 * `.env` or in the environment, else the demo.
 * @throws LaunchError if the chosen directory or model does not exist, TerminalError if its `.env` cannot be read.
 */
export async function findConfigDirectory(options: FindConfigDirectory): Promise<ConfigDirectory> {
  const usual = join(options.root, "deploy", "config");
  if (options.localModel !== undefined) {
    const path = join(usual, "local-model");
    const env = readConfigEnvironment(path, options.env);
    const localModel = await findLocalModel(options.localModel, env);
    const variables = { LOCAL_MODEL: localModel.name, LOCAL_MODEL_URL: localModel.url };
    return { path, isDemo: false, env: { ...env, ...variables }, localModel };
  }
  const explicit = findChosenDirectory(options);
  const hasKey = secretVariable(readConfigEnvironment(usual, options.env), "GOOGLE_API_KEY") !== "";
  const path = explicit ?? (hasKey ? usual : join(usual, "demo"));
  return { path, isDemo: explicit === undefined && !hasKey, env: readConfigEnvironment(path, options.env) };
}
