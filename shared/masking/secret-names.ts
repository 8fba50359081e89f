import { looksLikeKey } from "#shared/masking/patterns/looks-generated.ts";
import {
  ABOUT,
  AUTH_VERBS,
  FIRST_WORDS,
  FOREIGN_PASSWORD,
  FOREIGN_QUALIFIER,
  FOREIGN_SECRET,
  FOREIGN_WEAK,
  HARMLESS_OWNERS,
  KEY_OWNERS,
  mayNameSecret,
  QUALIFIERS,
  SAID_OF_SECRETS,
  SALT_OWNERS,
  WEAK_KEY_OWNERS,
} from "#shared/masking/secret-words.ts";

/** The kind of value of a key with such a name; the label of its placeholder. */
export type SecretKind =
  | "API_KEY"
  | "AUTH"
  | "CERTIFICATE"
  | "CERTIFICATE_AUTHORITY_DATA"
  | "COOKIE"
  /** The kind beside a name, as in `REDIS_AUTH`: the name of a scheme is none. */
  | "CREDENTIAL"
  /** Only if the value looks generated. */
  | "KEY"
  | "PASSWORD"
  | "PRIVATE_KEY"
  | "SECRET"
  | "SECRET_KEY"
  | "TOKEN";

const PASSWORD = /(?:password|passwd|passphrase|passcode|passwrd|pwd|pass|pswd|psswd|paswd|pw)$/u;
/** Words that end in `pass` and are no password. */
const NO_PASSWORD =
  /^(?:(?:by|com|encom|tres|sur|under|over|im|low|high|band|all|one|two|multi|single|first|second)pass|oldpwd|cwd)$/u;
const JOINED_KEY =
  /(?:api|access|secret|private|encryption|signing|account|master|preshared|shared|session|ssh|unseal|auth|license|jwt|hmac)key$/u;
const PLURAL = /(?:passwords|passwds|credentials|secrets|tokens|keys)$/u;

/** The number of characters of a name that are looked at: its last words decide. */
const MAX_NAME = 120;

/**
 * The kind of secret that a key or variable of this name holds, by its last words; undefined if it holds none. Words end at
 * punctuation and at changes of case, so that `DB_PASSWORD` and `clientSecret` are found and `compass`, `primary-key`,
 * `secretName` and `max_tokens` are not. Accents, wide letters and characters without a width make no difference.
 */
export function secretNameKind(name: string): SecretKind | undefined {
  if (!mayNameSecret(name)) return undefined;
  if (cached.has(name)) return cached.get(name);
  const kind = readName(name);
  if (cached.size < MAX_CACHED && name.length <= MAX_NAME) cached.set(name, kind);
  return kind;
}

/** Texts repeat their names. */
const cached = new Map<string, SecretKind | undefined>();
const MAX_CACHED = 2_000;

function readName(name: string): SecretKind | undefined {
  const short = name.length > MAX_NAME ? name.slice(-MAX_NAME) : name;
  // The working directory of a shell.
  if (short === "PWD" || short === "OLDPWD") return undefined;
  const words = plainLetters(short)
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
  const foreign = foreignKind(words);
  if (foreign !== undefined) return foreign;
  const isQualifier = (word = "") => QUALIFIERS.has(word) || /^\d+$/u.test(word);
  while (words.length > 1 && isQualifier(words.at(-1))) words.pop();
  const last = singular(words.at(-1) ?? "", short);
  const owner = words.at(-2) ?? "";
  if (HARMLESS_OWNERS.has(owner)) return undefined;
  // An annotation that names a Secret.
  if (last === "secret" && name.includes("/")) return undefined;
  return kindOfWords(words, owner, last.replace(/\d+$/u, "") || last) ?? kindOfFirstWord(words);
}

/** The text without accents, width and characters that are not seen. */
function plainLetters(name: string): string {
  // oxlint-disable-next-line no-control-regex -- most names are ASCII
  if (/^[\x00-\x7F]*$/u.test(name)) return name;
  return name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036F]|\p{Cf}/gu, "")
    .normalize("NFKC")
    .replaceAll(/[łŁ]/gu, "l")
    .replaceAll(/[øØ]/gu, "o")
    .replaceAll("ß", "ss")
    .replaceAll("ı", "i");
}

/** Languages put the name of a secret anywhere: `senha_do_banco`, `mot de passe`. */
function foreignKind(words: readonly string[]): SecretKind | undefined {
  const isPassword = words.some(
    (word, index) =>
      FOREIGN_PASSWORD.test(word) ||
      FOREIGN_PASSWORD.test(words.slice(index, index + 2).join("")) ||
      FOREIGN_PASSWORD.test(words.slice(index, index + 3).join("")),
  );
  if (isPassword) return "PASSWORD";
  const weak = words.findIndex((word) => FOREIGN_WEAK.test(word));
  if (weak !== -1) {
    const isQualified = words.some((word, index) => index !== weak && FOREIGN_QUALIFIER.test(word));
    return isQualified ? "SECRET_KEY" : "KEY";
  }
  return FOREIGN_SECRET.test(words.join("")) ? "SECRET" : undefined;
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
  const joined = /^(.*)(token|secret|auth|key)$/u.exec(last);
  if (joined !== null) {
    const [, before = "", noun = ""] = joined;
    if (HARMLESS_OWNERS.has(before) || /^x?o$/u.test(before)) return undefined;
    if (noun === "token") return "TOKEN";
    if (noun === "secret") return "SECRET";
    return noun === "auth" ? authKind(before || owner) : keyKind(before || owner, last);
  }
  if (last === "creds") return owner === "" ? undefined : "SECRET";
  if (last === "salt") return SALT_OWNERS.has(owner) ? "SECRET" : undefined;
  return KINDS.get(last) ?? KINDS.get(words.slice(-2).join(" ")) ?? KINDS.get(words.slice(-3).join(" "));
}

/** `PASSWORD_MYSQL`, `tokenGithub`: the value has to look generated, because such names may also mean a rule or a place. */
function kindOfFirstWord(words: readonly string[]): SecretKind | undefined {
  const [first = "", second = "", ...more] = words;
  const isNamed = FIRST_WORDS.has(first) && second !== "" && more.length <= 1;
  return isNamed && !words.slice(1).some((word) => ABOUT.has(word) || SAID_OF_SECRETS.has(word))
    ? "KEY"
    : undefined;
}

/** The kinds by the last word, the last two or the last three. */
const KINDS = new Map<string, SecretKind>(
  Object.entries({
    psk: "SECRET",
    "pass word": "PASSWORD",
    "pass phrase": "PASSWORD",
    "pass code": "PASSWORD",
    "password hash": "SECRET",
    "passwd hash": "SECRET",
    "pass hash": "SECRET",
    "nt hash": "SECRET",
    "secret string": "SECRET",
    "secret binary": "SECRET",
    "secure string": "SECRET",
    "seed phrase": "SECRET",
    "nkey seed": "SECRET",
    "snmp community": "PASSWORD",
    "community string": "PASSWORD",
    mnemonic: "SECRET",
    credential: "SECRET",
    credentials: "SECRET",
    signature: "SECRET",
    sig: "SECRET",
    dockerconfigjson: "SECRET",
    dockercfg: "SECRET",
    authorization: "AUTH",
    cookie: "COOKIE",
    bearer: "KEY",
    pat: "KEY",
    otp: "KEY",
    "client key data": "PRIVATE_KEY",
    "client certificate data": "CERTIFICATE",
  } satisfies Record<string, SecretKind>),
);

function authKind(owner: string): SecretKind {
  return owner === "" || AUTH_VERBS.has(owner) ? "AUTH" : "CREDENTIAL";
}

function keyKind(owner: string, last: string): SecretKind | undefined {
  if (["api", "app", "subscription"].includes(owner) || last.endsWith("apikey")) return "API_KEY";
  if (owner === "private" || owner === "tls" || owner === "ssh") return "PRIVATE_KEY";
  if (KEY_OWNERS.has(owner) || JOINED_KEY.test(last)) return "SECRET_KEY";
  return WEAK_KEY_OWNERS.has(owner) ? "KEY" : undefined;
}

/** Switches, states and what stands for a value. */
const NO_VALUE =
  /^(?:true|false|null|nil|none|undefined|unset|yes|no|on|off|~|-+|\*+|x{3,}|(?:in)?valid|(?:un)?verified|(?:en|dis)abled|missing|present|expired|revoked|required|optional|incorrect|wrong|abgelaufen|falsch|ung(?:ü|ue)ltig|fehlt|expirad[oa]|incorrect[oa]|requerid[oa]|requise?|expirée?|invalide?)$/iu;
/** A Secret with its namespace, as controllers log it. */
const NAMESPACED = /^[a-z](?:[a-z-]{0,61}[a-z])?\/[a-z](?:[a-z.-]{0,251}[a-z])?$/u;
/** Text that refers to a value or stands for it; only as a whole, because passwords may begin with such characters. */
const REFERENCE =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[^{}]*\}|\$\([^()]*\)|\$?\{\{[^{}]*\}\}|%[A-Z0-9]+(?:_[A-Z0-9]+)+%|<[^<>]*>(?:\s+Optional: (?:true|false))?|\d+ bytes|\[(?:redacted|masked|filtered|hidden)\]|\((?:sensitive(?: value)?|known after apply|none|null|empty|unset|not set|hidden|redacted|masked|from [\w -]{1,40})\))$/isu;
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
  if (kind === "KEY" && !looksLikeKey(trimmed)) return true;
  if (kind === "CREDENTIAL" && SCHEME.test(trimmed)) return true;
  if (SHORT_NUMBER.test(trimmed) || (kind === "SECRET" && NAMESPACED.test(trimmed))) return true;
  // A way to authenticate: `auth: basic`.
  if (kind === "AUTH" && (/^[A-Za-z -]{1,20}$/u.test(trimmed) || SCHEME.test(trimmed))) return true;
  // Words of a sentence: only passwords and secrets are made of words.
  if (!kind.startsWith("SECRET") && /^[A-Za-z]+(?: [A-Za-z']+){2}(?=[\s.!?]|$)/u.test(trimmed)) return true;
  return PATH.test(trimmed) && !/[A-Za-z0-9]{32}/u.test(trimmed);
}

/** Ways to sign in, and those that check it. */
const SCHEME =
  /^(?:basic|bearer|digest|token|tokens|jwt|oauth|oauth2|oidc|saml|ldap|kerberos|ntlm|mtls|tls|ssl|x509|iam|password|md5|peer|trust|ident|cert|certificate|anonymous|native|internal|external|local|custom|default|auto|strict|plain|login|cram-md5|scram-sha-\d+|http-basic|api-?key|key|keycloak|google|github|gitlab|azure|okta|auth0|cognito|dex|sso|aws)$/iu;

/** `$password` refers to a variable, `$ecretPassw0rd` is a password: lower case needs the name of a secret. */
function isReference(value: string): boolean {
  const variable = CASELESS_VARIABLE.exec(value)?.groups?.["name"];
  if (variable === undefined) return REFERENCE.test(value) && !WITH_DEFAULT.test(value);
  if (value.startsWith("%")) return REFERENCE.test(value) && /^[^a-z]+$/u.test(value);
  return (
    /^[A-Z_][A-Z0-9_]*$/u.test(variable) || (!/\d/u.test(variable) && secretNameKind(variable) !== undefined)
  );
}
