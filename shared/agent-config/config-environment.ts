import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "#shared/service/environment.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/**
 * The variables for the configuration: those of `<configDir>/.env`, overridden by the real environment. The file
 * may be missing; throws TerminalError `invalid_configuration` if it cannot be read.
 * Synchronous: it runs once, before a service starts anything.
 */
export function readConfigEnvironment(configDir: string, env: Environment): Environment {
  const file = join(configDir, ".env");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return { ...env };
    throw new TerminalError(
      "invalid_configuration",
      `${file} cannot be read (${errorMessage(error)}); make it a readable file or remove it`,
      { cause: error },
    );
  }
  const real = Object.entries(env).filter(([, value]) => value !== undefined);
  return { ...parseEnv(text), ...Object.fromEntries(real) };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
