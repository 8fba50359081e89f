import { randomBytes } from "node:crypto";

/** The names under which a test plants secrets; some look like secrets and some do not. */
const NAMES = [
  "OPENAI_API_KEY",
  "GOOGLE_API_KEY",
  "ANTHROPIC_API_KEY",
  "XAI_API_KEY",
  "GOOGLE_SERVICE_ACCOUNT_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "GITHUB_TOKEN",
  "SLACK_BOT_TOKEN",
  "PGPASSWORD",
  "COOKIE_SECRET",
  "UNNAMED",
  "HOST_NAME",
  "DESCRIPTION_TOKEN",
  "RUNBOOK_PASSWORD",
  "PLAIN_NAME",
  "INSTRUCTIONS_TOKEN",
  "CUSTOM_TOKEN",
  "FILE_TOKEN",
  "FILE_ONLY",
  "FILE_API_KEY",
  "URL_TOKEN",
  "BEARER_TOKEN",
  "ARGUMENT",
  "ASSIGNED",
  "URL_PASSWORD",
  "URL_QUERY",
  "BEARER_LITERAL",
  "PROVIDER_PASSWORD",
  "PROVIDER_QUERY",
] as const;

type SecretName = (typeof NAMES)[number];

/** Values without special characters, so that they are found in JSON, YAML and URLs alike. */
const values = new Map<SecretName, string>(
  NAMES.map((name) => [name, `planted${randomBytes(12).toString("hex")}`]),
);

/** The value planted under a name. */
export function planted(name: SecretName): string {
  return values.get(name) ?? "";
}

/** All of them as environment variables, without those that belong to `.env` or stand in a file. */
export function plantedEnvironment(): Record<string, string> {
  const inEnvironment = NAMES.slice(0, NAMES.indexOf("ARGUMENT")).filter((name) => !name.startsWith("FILE_"));
  return Object.fromEntries(inEnvironment.map((name) => [name, planted(name)]));
}

/** The text of `.env`. */
export function plantedFile(): string {
  return NAMES.filter((name) => name.startsWith("FILE_"))
    .map((name) => `${name}=${planted(name)}\n`)
    .join("");
}

/** The names of the secrets that a text has, as they are or in base64. */
export function secretsIn(text: string): string[] {
  return NAMES.filter((name) => {
    const value = planted(name);
    return text.includes(value) || text.includes(Buffer.from(value).toString("base64").replace(/=+$/u, ""));
  });
}
