import { readFileSync } from "node:fs";
import { urlPasswords } from "#shared/masking/patterns/url-passwords.ts";
import { secretNameKind } from "#shared/masking/secret-names.ts";
import type { Environment } from "#shared/service/environment.ts";

/** Shorter values are no secrets worth the name, and would be found in ordinary words. */
const MIN_LENGTH = 8;
const PLURAL = /_(?:KEYS|TOKENS|SECRETS|PASSWORDS)$/iu;

/**
 * The secrets that a process knows from its environment: values of variables whose name looks secret, passwords in URLs, and
 * the content of files that `<name>_FILE` names. Synchronous: it runs once at the start.
 */
export function knownSecrets(env: Environment): readonly string[] {
  const found = new Set<string>();
  for (const [name, value = ""] of Object.entries(env)) {
    for (const { start, end } of urlPasswords(value)) {
      const password = value.slice(start, end);
      found.add(password).add(decode(password));
    }
    if (name.endsWith("_FILE") && isSecretName(name.slice(0, -"_FILE".length))) found.add(readText(value));
    else if (isSecretName(name) && !value.includes("://") && !value.startsWith("/")) found.add(value);
  }
  return [...found].filter(
    (value) => value.length >= MIN_LENGTH && !/^(?:true|false|\d+|loopback|private)$/iu.test(value),
  );
}

function isSecretName(name: string): boolean {
  return secretNameKind(name) !== undefined || PLURAL.test(name);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return ""; // the code that needs the file reports that it cannot be read
  }
}
