import type { Origin } from "#shared/agent-config/agent-config.ts";
import { looksSecret } from "#shared/agent-config/looks-secret.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";

const REDACTED = "[redacted]";

/**
 * A copy of the configuration that may be shown: bearer tokens, passwords in URLs, and text into which a
 * variable was inserted whose name looks like a secret's are replaced.
 */
export function redactSecrets(value: unknown, origins: ReadonlyMap<string, Origin>, path = ""): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => redactSecrets(item, origins, joinPath(path, index)));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
      key,
      key === "bearer_token" ? REDACTED : redactSecrets(inner, origins, joinPath(path, key)),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string") return value;
  if (origins.get(path)?.variables.some(looksSecret) === true) return REDACTED;
  return withoutUrlPassword(value);
}

function withoutUrlPassword(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/giu, `$1${REDACTED}@`);
}
