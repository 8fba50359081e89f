import { maskByRules } from "#shared/masking/mask-by-rules.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";

/** Longer texts are cut: some error bodies are whole web pages, on which the expressions below would be slow. */
const MAX_LENGTH = 2_000;
/** Google access tokens and JWTs. The SDK creates them, so the gateway cannot redact them by value. */
const TOKEN = /\bya29\.[\w.-]{10,}|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/gu;
/** OpenAI repeats part of a rejected key, masked with asterisks. */
const MASKED = /\S{0,200}\*{3,}\S{0,200}/gu;

/**
 * The text of a provider, cut to 2,000 code units, with `secrets` and everything that looks like a token replaced, and masked as the results
 * of tools are: it goes into logs and errors, and may repeat what a server knows.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const redacted = secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text)
    .slice(0, MAX_LENGTH)
    .replaceAll(TOKEN, "[redacted]")
    .replaceAll(MASKED, "[redacted]");
  return maskByRules(redacted, rulesOfServer(), { known: [] }).text;
}
