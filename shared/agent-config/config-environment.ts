import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "#shared/service/environment.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/**
 * The variables for the configuration: those of `files`, relative to the directory (an earlier one goes first), overridden by the
 * real environment, and the directory itself as CONFIG_DIR, an absolute path. A file may be missing; throws TerminalError `invalid_configuration` if it cannot be read.
 * Synchronous: it runs once, before a service starts anything.
 */
export function readConfigEnvironment(
  configDir: string,
  env: Environment,
  files: readonly string[] = [".env"],
): Environment {
  const real = Object.entries(env).filter(([, value]) => value !== undefined);
  const written = files.toReversed().map((name) => readVariables(resolve(configDir, name)));
  const variables = [...written.flatMap((file) => Object.entries(file)), ...real];
  return { ...Object.fromEntries(variables), CONFIG_DIR: resolve(configDir) };
}

function readVariables(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    if (isMissing(error)) return {};
    throw new TerminalError(
      "invalid_configuration",
      `${file} cannot be read (${errorMessage(error)}); make it a readable file or remove it`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
