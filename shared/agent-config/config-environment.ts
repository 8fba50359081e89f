import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/** Values of environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment the configuration is read with: `<configDir>/.env` under the real environment, which wins.
 * A missing file is fine; one that cannot be read throws TerminalError `invalid_configuration`.
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
