import { readFileSync } from "node:fs";
import { TerminalError } from "#shared/errors.ts";

/** Environment variables by name. Where `<config-dir>/.env` is read, the process's own variables take precedence. */
export type Environment = Readonly<Record<string, string | undefined>>;

function invalid(name: string, value: string, rule: string): TerminalError {
  return new TerminalError("invalid_environment", `environment variable ${name} is "${value}": ${rule}`);
}

/** A variable's text, or the default if it is unset or empty. */
export function envText(env: Environment, name: string, fallback: string): string {
  const value = env[name];
  return value === undefined || value === "" ? fallback : value;
}

/**
 * A variable's text, or that of the file which `<name>_FILE` names. Throws TerminalError naming the variable if it is unset or
 * empty; `remedy` says what to set.
 */
export function envRequired(env: Environment, name: string, remedy: string): string {
  const value = secretVariable(env, name);
  if (value === "") {
    throw new TerminalError("invalid_environment", `environment variable ${name} is not set: ${remedy}`);
  }
  return value;
}

/** The parts of a comma-separated text without surrounding white space; none if it is unset or empty. */
export function envList(env: Environment, name: string): string[] {
  return envText(env, name, "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** A whole number between `min` and `max`, both included. */
export function envInteger(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const text = envText(env, name, String(fallback));
  const value = Number(text);
  if (!/^-?\d+$/u.test(text) || value < min || value > max) {
    throw invalid(name, text, `it must be a whole number from ${min} to ${max}`);
  }
  return value;
}

/** A TCP port; 0 lets the system choose a free one. */
export function envPort(env: Environment, name: string, fallback: number): number {
  return envInteger(env, name, { fallback, min: 0, max: 65_535 });
}

/** One of the listed words. */
export function envChoice<T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const text = envText(env, name, fallback);
  const found = allowed.find((choice) => choice === text);
  if (found === undefined) throw invalid(name, text, `it must be one of ${allowed.join(", ")}`);
  return found;
}

/** A URL with one of the given protocols (e.g. ["postgres:", "postgresql:"]), as text. */
export function envUrl(env: Environment, name: string, protocols: readonly string[], remedy: string): string {
  const text = envRequired(env, name, remedy);
  checkUrl(name, text, protocols);
  return text;
}

/** One URL or several, comma-separated, each with one of the given protocols, as text. */
export function envUrlList(
  env: Environment,
  name: string,
  protocols: readonly string[],
  remedy: string,
): string {
  const text = envRequired(env, name, remedy);
  for (const part of text.split(",")) checkUrl(name, part.trim(), protocols);
  return text;
}

function checkUrl(name: string, text: string, protocols: readonly string[]): void {
  const url = URL.parse(text);
  if (url !== null && protocols.includes(url.protocol)) return;
  // The value may hold a password, so it is not repeated.
  throw new TerminalError(
    "invalid_environment",
    `environment variable ${name} is not a valid URL: it must start with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  );
}

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
