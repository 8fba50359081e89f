/** Members of a key in the form of JSON Web Keys that are private. */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "k"];
/** The names of its further primes. */
const PRIME = ["r", "d", "t"];
const KEY_TYPE = /^(?:RSA|EC|OKP|oct|AKP)$/u;
/** Addresses of Azure's and Google's services for secrets, beside which the value stands. */
const VAULT = /\.vault\.[a-z.]{1,60}\/secrets\//u;

/** The fields of an object that say, together, which of them is a secret. */
export const TELLING_FIELDS: ReadonlySet<string> = new Set([
  ...PRIVATE,
  ...PRIME,
  "kty",
  "sensitive",
  "value",
  "keyName",
  "permissions",
  "data",
  "dataCrc32c",
  "id",
]);

/**
 * The names of the fields of an object that are secrets because of the fields beside them: the private members of a JSON Web
 * Key, an output of Terraform that is marked as sensitive, a key of a storage account, the answers of vaults.
 */
export function secretMembers(fields: ReadonlyMap<string, string>, isPrime: boolean): readonly string[] {
  if (KEY_TYPE.test(fields.get("kty") ?? "")) return PRIVATE;
  if (isPrime && PRIME.every((name) => fields.has(name))) return PRIME;
  const isMarked =
    fields.get("sensitive") === "true" ||
    (fields.has("keyName") && fields.has("permissions")) ||
    VAULT.test(fields.get("id") ?? "");
  if (isMarked) return ["value"];
  return fields.has("dataCrc32c") ? ["data"] : [];
}
