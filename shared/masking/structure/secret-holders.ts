import { looksGenerated } from "#shared/masking/patterns/looks-generated.ts";
import { isHarmlessValue } from "#shared/masking/secret-names.ts";
import { ABOUT } from "#shared/masking/secret-words.ts";

const HOLDER =
  /(?:(?:^|[_.-])(?:[Ss]ecrets?|SECRETS?|[Cc]redentials?|CREDENTIALS?)|(?<=[a-z0-9])(?:Secrets?|Credentials?)|(?:^|[_.-]|(?<=[a-z0-9])(?=S))[Ss]ecret[_-]?(?:[Ee]nv|[Ee]nvs|[Dd]ata|[Vv]alues|[Vv]ars|[Vv]ariables|[Ee]nvironment))$/u;
/** Each may be the name of an entry or of a database, too. */
const EITHER = new Set(["key", "db", "database"]);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
const DATE = /^\d{4}-\d{2}-\d{2}/u;
const FILE = /^[\w-]{1,100}\.[a-z]{2,5}$/u;
const MAX_NAME = 120;

/** True for the key of an object whose fields are secrets, with any names: `secret`, `dbCredentials`, `secretEnv`. */
export function holdsSecrets(key: string): boolean {
  return key.length <= MAX_NAME && HOLDER.test(key);
}

/**
 * True for the value of a field within such an object, unless the field or the value says that it is something else. Further
 * down, where fields have any meaning, only a value that looks generated is one; so is that of `key`, which may name an entry.
 */
export function isHeldSecret(field: string, value: string, isDeep: boolean): boolean {
  if (field.length > MAX_NAME) return false;
  const word = /(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)$/u.exec(field)?.[0].toLowerCase() ?? "";
  if (word === "" || ABOUT.has(word) || isHarmlessValue(value, "SECRET")) return false;
  if (/\s|:\/\/|^arn:/u.test(value) || UUID.test(value) || DATE.test(value)) return false;
  if (FILE.test(value) || value.includes("[MASKED_")) return false;
  return (!isDeep && !EITHER.has(word)) || looksGenerated(value);
}
