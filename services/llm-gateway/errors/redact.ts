/** More of an error is not told; some are whole web pages, on which the expressions below would take their time. */
const MAX_LENGTH = 2_000;
/** Google's access tokens and signed ones, which nobody here has by value. */
const TOKEN = /\bya29\.[\w.-]{10,}|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/gu;
/** The parts of a key that OpenAI repeats between asterisks. */
const MASKED = /\S{0,200}\*{3,}\S{0,200}/gu;

/** A foreign text, cut to 2,000 UTF-16 units, without these secrets and anything that looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text)
    .slice(0, MAX_LENGTH)
    .replaceAll(TOKEN, "[redacted]")
    .replaceAll(MASKED, "[redacted]");
}
