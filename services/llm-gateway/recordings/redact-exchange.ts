const REDACTED = "[redacted]";
/** A shorter value may be part of any text. */
const MIN_LENGTH = 6;

/** Headers whose values are kept; any other may hold a key, a cookie or an account's name. */
const KEPT_HEADERS =
  /^(?:accept|anthropic-(?:beta|version)|cache-control|content-(?:encoding|length|type)|date|retry-after(?:-ms)?|server|transfer-encoding|user-agent|via|x-amzn-errortype|(?:x-)?ratelimit-[\w-]+|x-ratelimit-[\w-]+|anthropic-ratelimit-[\w-]+)$/u;
/** Parameters of an address whose values are kept. */
const KEPT_PARAMETERS = new Set(["alt", "api-version"]);

/** The forms of credentials of known issuers. */
const CREDENTIALS =
  /\bya29\.[\w.-]{10,}|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|\b(?:sk|rk|xai)-[\w-]{16,}|\bgsk_\w{16,}|\bAIza[\w-]{30,}|\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\bgh[opsu]_\w{20,}|\bxox[abeprs]-[\w-]{10,}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----|\bBearer\s+[\w.~+/-]{16,}/giu;

/** The headers with the values of all but harmless ones replaced. */
export function redactHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      const key = name.toLowerCase();
      return [key, KEPT_HEADERS.test(key) ? value : REDACTED];
    }),
  );
}

/** The address without user, password and fragment, and with the values of its parameters replaced. */
export function redactUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return REDACTED;
  const query = [...url.searchParams].map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${KEPT_PARAMETERS.has(name) ? encodeURIComponent(value) : REDACTED}`,
  );
  return `${url.origin}${url.pathname}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** The text with known secrets, in every form they may have in it, and everything that looks like a credential replaced. */
export function redactText(text: string, secrets: readonly string[]): string {
  return secretForms(secrets)
    .reduce((left, secret) => left.replaceAll(secret, REDACTED), text)
    .replaceAll(CREDENTIALS, REDACTED);
}

/** The kind of data in a text that must not be stored; undefined if nothing was found. Never the value itself. */
export function findSecret(text: string, secrets: readonly string[]): string | undefined {
  if (secretForms(secrets).some((secret) => text.includes(secret))) return "a configured credential";
  return text.search(CREDENTIALS) === -1 ? undefined : "something that looks like a credential";
}

function secretForms(secrets: readonly string[]): string[] {
  const long = secrets.filter((secret) => secret.length >= MIN_LENGTH);
  return [
    ...new Set(
      long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]),
    ),
  ];
}
