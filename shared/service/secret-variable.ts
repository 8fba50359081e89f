import { readFileSync } from "node:fs";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";

/**
 * The text of a variable that may hold a secret: its value, or the content of the file that `<name>_FILE` names, without the
 * line break at its end. Empty if neither is set. Throws TerminalError `invalid_environment` if both are set or the file
 * cannot be read; the error names variable and file. Synchronous: secrets are read once, before a service starts anything.
 */
export function secretVariable(env: Environment, name: string): string {
  const value = env[name] ?? "";
  const file = env[`${name}_FILE`] ?? "";
  if (file === "") return value;
  if (value !== "") {
    throw new TerminalError(
      "invalid_environment",
      `environment variables ${name} and ${name}_FILE are both set: set one of them`,
    );
  }
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/u, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new TerminalError(
      "invalid_environment",
      `the file ${file} that environment variable ${name}_FILE names cannot be read (${code}): make it readable for this process`,
      { cause: error },
    );
  }
}
