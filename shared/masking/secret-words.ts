import { Words } from "#shared/masking/words.ts";

/** Occurs in every name that a kind is found for, in lower case: most have none of them. Words of every log, as `path` is, are left out. */
const HINT =
  /pass|pwd|psw|pw|se[cgk]r|secure.?str|token|key|cred|sig|dockerc|auth|cookie|certificate.?data|salt|psk|bearer|otp|pat(?!h(?!ex)|ch|tern|ient)|communit|mnemo|seed.?phr|nt.?hash|kennw|gehei|schlu|mdp|jeton|cle(?!a|r)|clave|chave|chiave|contra|senha|parol|wachtw|sleut|hasl|kluc|hesl|sifr|jels|losen|adgan|salas|lozin|zapor|gesl|slapt|sandi|matk|khau|palabra|parool|nyckel|avain|tajne/;
/** One of them is in each alternative of it; most texts have none. */
const PARTS = new Words(
  ...(
    "pass pwd psw pw secr segr sekr secure token key cred sig dockerc auth cookie certificate salt psk bearer otp pat communit mnemo " +
    "seed hash kennw gehei schlu mdp jeton cle clave chave chiave contra senha parol wachtw sleut hasl kluc hesl sifr jels losen adgan " +
    "salas lozin zapor gesl slapt sandi matk khau palabra parool nyckel avain tajne"
  ).split(" "),
);
// oxlint-disable-next-line no-control-regex -- any character beyond ASCII may belong to a name in another language
const FOREIGN = /[^\x00-\x7F]/;
let last = { text: "", isHinted: false };

/** False if a text, or a name, surely has no name of a secret. The steps of masking ask for the same text in turn. */
export function mayNameSecret(text: string): boolean {
  if (text.length < MIN_KEPT) return isHinted(text);
  if (text !== last.text) last = { text, isHinted: PARTS.test(text) ? isHinted(text) : FOREIGN.test(text) };
  return last.isHinted;
}

function isHinted(text: string): boolean {
  return HINT.test(text.toLowerCase()) || FOREIGN.test(text);
}

/** A name is asked for once. */
const MIN_KEPT = 200;

/** Words that make a key of what follows them: `api_key`, `access-key`, `clientKey`. */
export const KEY_OWNERS: ReadonlySet<string> = new Set(
  (
    "access account admin aes api app auth cipher client cookie crypto decryption deploy encryption function hmac " +
    "host jwt license master preshared private recovery root rsa secret service session shared signing ssh storage " +
    "subscription tls unseal webhook wireguard"
  ).split(" "),
);
/** Words whose key is a secret only if the value looks generated: a routing key of AMQP is a path. */
export const WEAK_KEY_OWNERS: ReadonlySet<string> = new Set(
  (
    "agent apm connection events event hub ingest ingestion insert installation instrumentation integration network " +
    "org organization publish query read rest routing rum send server site subscribe team telemetry tracking user write"
  ).split(" "),
);
/** Objects whose `key` is a secret: `{"Jwt": {"Key": "…"}}`. */
export const KEY_HOLDERS: ReadonlySet<string> = new Set(
  "aes api crypto cryptography encryption hmac jws jwt signing".split(" "),
);
/** Words behind the name of a secret that say which one it is. */
export const QUALIFIERS: ReadonlySet<string> = new Set(
  (
    "backup base current dev development hex live new old plain plaintext previous primary prod production qa raw " +
    "secondary stage staging string test value val"
  ).split(" "),
);
/** Words that are mixed into passwords and sessions. */
export const SALT_OWNERS: ReadonlySet<string> = new Set(
  "auth cookie encryption hash password secret secure session".split(" "),
);
/** Tokens that mark a place in a list or a limit, and Secrets that are only named. */
export const HARMLESS_OWNERS: ReadonlySet<string> = new Set(
  (
    "automount cancel cancellation completion continuation continue cursor eos bos pad unk stop special input max min " +
    "next num output unexpected illegal expected page pagination pull resume sync"
  ).split(" "),
);
/** Words before `auth`: a switch or a way to sign in. */
export const AUTH_VERBS: ReadonlySet<string> = new Set(
  (
    "allow anonymous client default disable enable ext external force forward http https is needs no oauth o optional " +
    "pre re require requires server skip un use user with without"
  ).split(" "),
);
/** Words at the end of a name that starts with one of a secret: `password_policy` and `token_ttl` say something about it. */
export const FIRST_WORDS: ReadonlySet<string> = new Set(
  "password passwd pwd passphrase secret token apikey kennwort passwort senha contrasena clave".split(" "),
);

/** Other words of names that mean a secret. */
export const SAID_OF_SECRETS: ReadonlySet<string> = new Set(
  (
    "rotation rotated reset change changed validity valid min max limit limits budget bucket last history attempts " +
    "encryption cache manager managers generator rules rule complexity check checks input field prompt page review " +
    "reviews reviewer request requests response used usage estimate rate per key keys exchange"
  ).split(" "),
);

/** Passwords in other languages, as whole words or at the end of one, in lower case and without accents. */
export const FOREIGN_PASSWORD =
  /(?:passwort|kennwort|geheimzahl|motdepasse|contrasena|contrasenya|palavrapasse|wachtwoord|jelszo|losenord|passord|adgangskode|salasana|salasona|lozinka|zaporka|slaptazodis|palabradepaso|parolaccesso|katasandi|matkhau)(?:en|e?s)?$|^(?:(?:db|user|admin|root|app|mi|minha|meine?|mon)?(?:mdp|senha|haslo|heslo|hesla|geslo|sifre|sifra|parola|parool|passe|sandi))$/u;
/** Any value beside one of them is a secret: `clave secreta`, `geheimer Schlüssel`, `cle_api`. */
export const FOREIGN_QUALIFIER =
  /^(?:secret[aeo]?|segret[ao]|acceso|acesso|acces|accesso|privad[ao]|privee?|privat[ao]|api|geheim\w{0,3})$/u;
/** The same in scripts without cases, where words are not separated. */
export const FOREIGN_SECRET =
  /парол|лозинк|секрет|токен|κωδικ|συνθηματικ|סיסמ|كلمة(?:ال)?(?:مرور|سر)|رمزعبور|पासवर्ड|รหัสผ่าน|密[码碼钥鑰]|秘[钥鑰]|口令|令牌|私[钥鑰]|パスワード|パスフレーズ|暗証番号|秘密|シークレット|トークン|비밀|암호|패스워드|토큰|시크릿/u;
/** Keys, tokens and secrets in other languages: everyday words, too, so the value has to look generated. */
export const FOREIGN_WEAK =
  /^(?:geheimnis|geheim|schluessel|schlussel|zugangsschlussel|cle|clef|jeton|clave|secreto|segredo|segreto|chave|chiave|sleutel|klucz|sekret|tajne|nyckel|avain|ключ)$|(?:schlussel|schluessel|geheimnis|sleutel)$/u;

/** The last words of fields that say something about a secret, or where it is. */
export const ABOUT: ReadonlySet<string> = new Set(
  [
    "name names namespace namespaces ref refs reference type kind mode id ids uid uuid path paths file files url uri",
    "endpoint host hostname hosts port ports user users username login email account region zone provider source",
    "target store engine backend method strategy format title description summary comment note notes message reason",
    "status state phase conditions version group groups label labels annotation annotations app env environment",
    "created updated expires expiry expiration at time date timestamp ttl length size count age scheme algorithm alg",
    "use usage realm audience issuer scope scopes role roles policy driver external optional required default enum",
    "pattern tenant project subscription schema bucket ssl sslmode tls enabled hash accessor arn digest",
    "fingerprint checksum dn cn domain service cluster context owner team tag tags property properties options help",
  ]
    .join(" ")
    .split(" "),
);
