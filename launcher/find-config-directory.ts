import { join } from "node:path";
import { chooseConfigDirectory } from "#shared/agent-config/choose-config-directory.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { FoundKey } from "#shared/agent-config/found/find-keys.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
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
  /** The key because of which deploy/config was chosen. */
  readonly key?: FoundKey;
  /** The directory as the operator has written it, where `path` is the one in force, which `write` writes again. */
  readonly source?: string;
  readonly write?: () => void;
  /** A sentence about the data that the tools look at; absent where that is the operator's own choice. */
  readonly tools?: string;
};

type FindConfigDirectory = {
  readonly root: string;
  /** Relative paths of the user are resolved from here. */
  readonly userDir: string;
  readonly configDir: string | undefined;
  readonly localModel: LocalModelOptions | undefined;
  readonly env: Environment;
};

function chosenDirectory(options: FindConfigDirectory): ConfigDirectory {
  try {
    const { path, by, env, key } = chooseConfigDirectory(options);
    return { path, isDemo: by === "demo", env, ...(key === undefined ? {} : { key }) };
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== "no_such_directory") throw error;
    const exitCode = options.configDir === undefined ? 1 : 2;
    throw new LaunchError(error.message, { exitCode, cause: error });
  }
}

/**
 * Chooses the configuration directory: deploy/config/local-model for a model that the command line names, else as
 * `chooseConfigDirectory` does.
 * @throws LaunchError if the chosen directory or model does not exist, TerminalError if its `.env` cannot be read.
 */
export async function findConfigDirectory(options: FindConfigDirectory): Promise<ConfigDirectory> {
  if (options.localModel === undefined) return chosenDirectory(options);
  const path = join(options.root, "deploy", "config", "local-model");
  const env = readConfigEnvironment(path, options.env);
  const localModel = await findLocalModel(options.localModel, env);
  const variables = { LOCAL_MODEL: localModel.name, LOCAL_MODEL_URL: localModel.url };
  return { path, isDemo: false, env: { ...env, ...variables }, localModel };
}
