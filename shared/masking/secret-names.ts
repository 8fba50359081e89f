/** What the value of a key with such a name is; the label of its placeholder. */
export type SecretKind =
  | "API_KEY"
  | "AUTH"
  | "CERTIFICATE"
  | "CERTIFICATE_AUTHORITY_DATA"
  | "COOKIE"
  | "PASSWORD"
  | "PRIVATE_KEY"
  | "SECRET"
  | "SECRET_KEY"
  | "TOKEN";

const PASSWORD = /(?:password|passwd|passphrase|passcode|userpw|pwd|pass)$/u;
/** Words that end in `pass` and are no password. */
const NO_PASSWORD =
  /^(?:(?:by|com|encom|tres|sur|under|over|im|low|high|band|all|one|two|multi|single|first|second)pass|oldpwd|cwd)$/u;
const TOKEN = /(?:^|access|auth|bearer|refresh|id|session|csrf|xsrf|api|bot|user|app|csrf)token$/u;
const SECRET = /(?:^|client|app|shared|consumer|webhook|signing|api|token)secret$/u;
/** Words that make a key of what follows them: `api_key`, `access-key`, `clientKey`. */
const KEY_OWNERS = new Set([
  "access",
  "account",
  "aes",
  "api",
  "app",
  "auth",
  "cipher",
  "client",
  "cookie",
  "crypto",
  "decryption",
  "deploy",
  "encryption",
  "function",
  "hmac",
  "host",
  "jwt",
  "license",
  "master",
  "preshared",
  "private",
  "recovery",
  "rsa",
  "secret",
  "service",
  "session",
  "shared",
  "signing",
  "ssh",
  "storage",
  "subscription",
  "tls",
  "unseal",
  "webhook",
]);
/** Words behind the name of a secret that say which one it is. */
const QUALIFIERS = new Set([
  "backup",
  "base",
  "current",
  "dev",
  "development",
  "live",
  "new",
  "old",
  "plain",
  "plaintext",
  "previous",
  "primary",
  "prod",
  "production",
  "qa",
  "secondary",
  "stage",
  "staging",
  "test",
  "value",
]);
/** What is mixed into passwords and sessions. */
const SALT_OWNERS = new Set([
  "auth",
  "cookie",
  "encryption",
  "hash",
  "password",
  "secret",
  "secure",
  "session",
]);
const JOINED_KEY =
  /(?:api|access|secret|private|encryption|signing|account|master|preshared|shared|session|ssh|unseal)key$/u;
const PLURAL = /(?:passwords|passwds|credentials|secrets|tokens|keys)$/u;
/** Tokens that mark a place in a list or a limit, and Secrets that are only named. */
const HARMLESS_OWNERS = new Set([
  "automount",
  "cancel",
  "cancellation",
  "completion",
  "continuation",
  "continue",
  "cursor",
  "input",
  "max",
  "next",
  "output",
  "page",
  "pagination",
  "pull",
  "resume",
  "sync",
]);

/** At most this many characters of a name are looked at: its last words decide. */
const MAX_NAME = 120;

/**
 * The kind of secret that a key or variable of this name holds, by its last words; undefined if it holds none. Words end at
 * punctuation and at changes of case, so that `DB_PASSWORD` and `clientSecret` are found and `compass`, `primary-key`,
 * `secretName` and `max_tokens` are not.
 */
export function secretNameKind(name: string): SecretKind | undefined {
  if (!HINT.test(name)) return undefined;
  if (cached.has(name)) return cached.get(name);
  const kind = readName(name);
  if (cached.size < MAX_CACHED && name.length <= MAX_NAME) cached.set(name, kind);
  return kind;
}

/** In every name that a kind is found for: most names have none of them. */
const HINT = /pass|pwd|pw|secret|secure|token|key|cred|sig|docker|auth|cookie|certificate|salt|psk/iu;
/** Texts repeat their names. */
const cached = new Map<string, SecretKind | undefined>();
const MAX_CACHED = 2_000;

function readName(name: string): SecretKind | undefined {
  const short = name.length > MAX_NAME ? name.slice(-MAX_NAME) : name;
  // The working directory of a shell.
  if (short === "PWD" || short === "OLDPWD") return undefined;
  const words = short
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "");
  const isQualifier = (word = "") => QUALIFIERS.has(word) || /^\d+$/u.test(word);
  while (words.length > 1 && isQualifier(words.at(-1))) words.pop();
  const last = singular(words.at(-1) ?? "", short);
  const owner = words.at(-2) ?? "";
  if (HARMLESS_OWNERS.has(owner)) return undefined;
  // An annotation that names a Secret.
  if (last === "secret" && name.includes("/")) return undefined;
  return kindOfWords(words, owner, last.replace(/\d+$/u, "") || last);
}

/** Several secrets in one variable; lists of names, as in `secrets: [a, b]`, and counts of tokens are none. */
function singular(word: string, name: string): string {
  if (!PLURAL.test(word)) return word;
  const isVariable = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/u.test(name);
  return isVariable || word.startsWith("pass") || /^[a-z]+(?:Keys|Tokens)$/u.test(name)
    ? word.slice(0, -1)
    : word;
}

function kindOfWords(words: readonly string[], owner: string, last: string): SecretKind | undefined {
  if (PASSWORD.test(last)) return NO_PASSWORD.test(last) ? undefined : "PASSWORD";
  if (TOKEN.test(last)) return "TOKEN";
  if (SECRET.test(last)) return "SECRET";
  if (last === "key") return KEY_OWNERS.has(owner) ? keyKind(owner) : undefined;
  if (JOINED_KEY.test(last)) return last.endsWith("apikey") ? "API_KEY" : "SECRET_KEY";
  if (last === "salt") return SALT_OWNERS.has(owner) ? "SECRET" : undefined;
  return KINDS.get(last) ?? KINDS.get(words.slice(-2).join(" ")) ?? KINDS.get(words.slice(-3).join(" "));
}

/** By the last word, the last two or the last three. */
const KINDS = new Map<string, SecretKind>(
  Object.entries({
    pw: "PASSWORD",
    psk: "SECRET",
    "secret string": "SECRET",
    "secret binary": "SECRET",
    "secure string": "SECRET",
    credential: "SECRET",
    credentials: "SECRET",
    signature: "SECRET",
    sig: "SECRET",
    dockerconfigjson: "SECRET",
    dockercfg: "SECRET",
    authorization: "AUTH",
    auth: "AUTH",
    cookie: "COOKIE",
    "client key data": "PRIVATE_KEY",
    "client certificate data": "CERTIFICATE",
  } satisfies Record<string, SecretKind>),
);

function keyKind(owner: string): SecretKind {
  if (owner === "api" || owner === "app" || owner === "subscription") return "API_KEY";
  return owner === "private" || owner === "tls" || owner === "ssh" ? "PRIVATE_KEY" : "SECRET_KEY";
}

/** Switches, states and what stands for a value. */
const NO_VALUE =
  /^(?:true|false|null|nil|none|undefined|unset|yes|no|on|off|~|-+|\*+|x{3,}|(?:in)?valid|(?:un)?verified|(?:en|dis)abled|missing|present|expired|revoked|required|optional)$/iu;
/** A Secret with its namespace, as controllers log it. */
const NAMESPACED = /^[a-z](?:[a-z-]{0,61}[a-z])?\/[a-z](?:[a-z.-]{0,251}[a-z])?$/u;
/** What refers to a value or stands for it; only as a whole, because passwords may begin with such characters. */
const REFERENCE =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[^{}]*\}|\$\([^()]*\)|\$?\{\{[^{}]*\}\}|%[A-Z0-9]+(?:_[A-Z0-9]+)+%|<[^<>]*>(?:\s+Optional: (?:true|false))?|\d+ bytes|\[(?:redacted|masked|filtered|hidden)\]|\((?:sensitive(?: value)?|known after apply|none|null|empty|unset|not set|hidden|redacted|masked)\))$/isu;
/** A reference with a value of its own, for where the variable is not set. */
const WITH_DEFAULT =
  /^(?:\$\{\w{1,120}:?[-=](?![$}])[^{}]+\}|\$\{[A-Z_][A-Z0-9_]*:(?![-=$?+}])[^{}]+\}|<%.*(?:\|\||,)\s*["'][^"']+["'].*%>|\{\{.*\bdefault\s+"[^"]+".*\}\})$/su;
const CASELESS_VARIABLE = /^[$%](?<name>[A-Za-z_]\w*)%?$/u;
/** A file: below a directory that systems have, relative, or with the extension of a file. */
const PATH =
  /^(?:(?:~|\.{1,2})\/[\w./ -]*|\/(?:run|var|etc|opt|usr|home|mnt|tmp|root|srv|secrets?|vault|proc|dev|app|data|certs?|keys?|tls|config)\/[\w./ -]*|\/[\w./ -]*\.(?:key|pem|crt|cer|json|txt|ya?ml|conf|cfg|ini|env|token|p12|pfx|jks))$/u;
const SHORT_NUMBER = /^-?\d{1,7}(?:\.\d+)?$/u;

/** Longer than any reference. */
const MAX_HARMLESS = 1_000;

/** True if the value of a key of this kind is no secret: empty, a switch, a reference, a path of a file, a count of tokens. */
export function isHarmlessValue(value: string, kind: SecretKind): boolean {
  const trimmed = value.trim();
  if (trimmed.length > MAX_HARMLESS) return false;
  if (trimmed === "" || NO_VALUE.test(trimmed) || isReference(trimmed)) return true;
  if (kind === "PASSWORD") return trimmed.startsWith("/") && PATH.test(trimmed);
  if (SHORT_NUMBER.test(trimmed) || (kind === "SECRET" && NAMESPACED.test(trimmed))) return true;
  // How to authenticate: `auth: basic`.
  if (kind === "AUTH" && /^[A-Za-z -]{1,20}$/u.test(trimmed)) return true;
  return PATH.test(trimmed) && !/[A-Za-z0-9]{32}/u.test(trimmed);
}

/** `$password` refers to a variable, `$ecretPassw0rd` is a password: lower case needs the name of a secret. */
function isReference(value: string): boolean {
  const variable = CASELESS_VARIABLE.exec(value)?.groups?.["name"];
  if (variable === undefined) return REFERENCE.test(value) && !WITH_DEFAULT.test(value);
  if (value.startsWith("%")) return REFERENCE.test(value) && /^[^a-z]+$/u.test(value);
  return (
    /^[A-Z_][A-Z0-9_]*$/u.test(variable) || (!/\d/u.test(variable) && secretNameKind(variable) !== undefined)
  );
}
