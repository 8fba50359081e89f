import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { chooseConfigDirectory } from "#shared/agent-config/choose-config-directory.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import type { Environment } from "#shared/service/environment.ts";
import { PROJECT_ROOT } from "../../../scripts/tarsy/project-root.ts";

/** A configuration directory, read and checked. */
export interface Configuration {
  /** Absolute. */
  readonly path: string;
  /** With the directory's `.env`. */
  readonly env: Environment;
  readonly config: AgentConfig;
}

/** Reads configuration directories, each once. */
export class Configurations {
  readonly #env: Environment;
  readonly #read = new Map<string, Promise<Configuration>>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * The configuration of a directory; undefined for that of `npm start`. Throws AgentConfigError with everything that is wrong with
   * it, and TerminalError for a directory that is not there.
   */
  async read(configDir: string | undefined): Promise<Configuration> {
    const { path, env } = chooseConfigDirectory({
      root: PROJECT_ROOT,
      userDir: process.cwd(),
      configDir,
      env: this.#env,
    });
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const reading = loadAgentConfig({ configDir: path, env }).then((config) => ({ path, env, config }));
    this.#read.set(path, reading);
    return reading;
  }
}
