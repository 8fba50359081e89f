import { encodedText } from "#shared/masking/mask-context.ts";
import { secretNameKind, type SecretKind } from "#shared/masking/secret-names.ts";
import { KEY_HOLDERS } from "#shared/masking/secret-words.ts";
import type { JsonToken } from "#shared/masking/structure/json-tokens.ts";
import { holdsSecrets } from "#shared/masking/structure/secret-holders.ts";
import { TELLING_FIELDS } from "#shared/masking/structure/secret-members.ts";
import { isSecretKind, isSecretType } from "#shared/masking/structure/secret-objects.ts";

/** A scalar and its place. */
export interface Leaf {
  readonly token: JsonToken;
  readonly value: string;
  /** The kind by its key; the object's own statement counts first. */
  readonly kind: SecretKind | undefined;
  isMasked: boolean;
}

export interface JsonFrame {
  readonly isObject: boolean;
  /** True below `data` or `stringData` of an outer object. */
  readonly inData: boolean;
  /** The length of the list of leaves below `data` when the frame was opened. */
  readonly firstLeaf: number;
  state: "key" | "colon" | "value" | "comma";
  /** The key of the value that is read; in an array the key of the array. */
  key: string;
  kind: string | undefined;
  apiVersion: string | undefined;
  type: string | undefined;
  /** True for answers of Vault. */
  isLease: boolean;
  hasData: boolean;
  /** `name` and `value`, as in the environment of a container. */
  name: string | undefined;
  namedValue: Leaf | undefined;
  /** The names in a list of columns. */
  readonly names: string[] | undefined;
  /** Keyed by column, of the rows below or of the row itself. */
  columns: readonly (SecretKind | undefined)[] | undefined;
  readonly isRows: boolean;
  /** The index of the item that is read, in an array. */
  index: number;
  /** The kind by the key of the object, for the value of `value`. */
  readonly outerKind: SecretKind | undefined;
  /** The key of the object says that its `key` is a secret: `{"Jwt": {"Key": "…"}}`. */
  readonly holdsKey: boolean;
  /** The item before, in an array. */
  previous: string;
  /** The depth below a key whose object holds secrets, from 0 for a list of such objects. */
  readonly heldDepth: number | undefined;
  /** Those that say together what one of them is. */
  telling: Map<string, Leaf> | undefined;
}

/** Fields of a Secret with its values. */
export const DATA = new Set(["data", "stringdata"]);
const COLUMNS = new Set(["columns", "fields", "header", "headers", "columnnames"]);
const ROWS = new Set(["rows", "values", "data", "records"]);
const PLURAL = /(?<=password|passwd|token|key|credential)s$/iu;
const NAMES = new Set([
  "name",
  "key",
  "path",
  "parameterkey",
  "parametername",
  "variable",
  "header",
  "optionname",
]);
/** Names of fields with the value that a name beside them describes. */
export const VALUE_FIELDS = new Set(["value", "val", "parametervalue", "plaintext", "cleartext"]);

/** The frame of an object or array that opens within `outer`. */
export function newFrame(isObject: boolean, outer: JsonFrame | undefined, firstLeaf: number): JsonFrame {
  const frame: JsonFrame = {
    isObject,
    inData: outer?.inData === true,
    firstLeaf,
    state: isObject ? "key" : "value",
    key: isObject ? "" : (outer?.key ?? "").replace(PLURAL, ""),
    kind: undefined,
    apiVersion: undefined,
    type: undefined,
    isLease: false,
    hasData: false,
    name: undefined,
    namedValue: undefined,
    names: undefined,
    columns: undefined,
    isRows: false,
    index: 0,
    outerKind: undefined,
    holdsKey: false,
    previous: "",
    heldDepth: heldDepth(isObject, outer),
    telling: undefined,
  };
  if (outer?.isObject !== true) {
    return !isObject && outer?.isRows === true ? { ...frame, columns: outer.columns } : frame;
  }
  const key = fieldName(outer.key);
  if (isObject) {
    return {
      ...frame,
      inData: frame.inData || DATA.has(key),
      outerKind: secretNameKind(outer.key),
      holdsKey: KEY_HOLDERS.has(key),
    };
  }
  const isRows = ROWS.has(key) && outer.columns !== undefined;
  return {
    ...frame,
    names: COLUMNS.has(key) ? [] : undefined,
    isRows,
    columns: isRows ? outer.columns : undefined,
  };
}

function heldDepth(isObject: boolean, outer: JsonFrame | undefined): number | undefined {
  const before = outer?.heldDepth;
  if (before !== undefined) return before + (isObject ? 1 : 0);
  if (outer?.isObject !== true || !holdsSecrets(outer.key)) return undefined;
  return isObject ? 1 : 0;
}

/** Notes what an object says about itself. */
export function noteField(frame: JsonFrame, leaf: Leaf): void {
  if (TELLING_FIELDS.has(frame.key)) (frame.telling ??= new Map()).set(frame.key, leaf);
  const field = fieldName(frame.key);
  const text = shortText(leaf.value, leaf.token.quote);
  if (field === "kind") frame.kind = /^(?:null|none|)$/iu.test(text) ? undefined : text;
  else if (field === "apiversion") frame.apiVersion = text;
  else if (field === "type") frame.type = text;
  else if (field === "leaseid") frame.isLease = true;
  else if (NAMES.has(field)) frame.name ??= text;
  else if (VALUE_FIELDS.has(field)) frame.namedValue = leaf;
}

/** The name as Kubernetes writes it, and as clients in other languages. */
export function fieldName(key: string): string {
  return key.replaceAll("_", "").toLowerCase();
}

/**
 * Clients leave out the kind of a typed object, and Kubernetes prints `data` before it: of an object without a kind, the type
 * says what it is; of a cut-off one the version; and without that, values that are texts in base64 are masked.
 */
export function isSecret(
  { kind, apiVersion, type, isLease, hasData }: JsonFrame,
  isCutOff: boolean,
): "yes" | "no" | "if encoded" {
  if (kind !== undefined) return isSecretKind(kind) ? "yes" : "no";
  if (!hasData) return "no";
  if (isLease || (type !== undefined && isSecretType(type))) return "yes";
  if (!isCutOff) return "no";
  return apiVersion === "v1" ? "yes" : "if encoded";
}

/** True for a string that is a text in base64. */
export function looksEncoded({ value, token }: Leaf): boolean {
  const whole = token.isClosed ? value : value.slice(0, value.length - (value.length % 4));
  return token.type === "string" && encodedText(whole) !== undefined;
}

/** Longer than any name or kind. */
const MAX_NAME = 300;

/** The meaning of a string if it may be a name or a kind; a longer one stays as it is. */
export function shortText(raw: string, quote: string): string {
  return raw.length <= MAX_NAME ? unescapeString(raw, quote) : raw;
}

/** The text that a string of JSON or Python stands for. */
export function unescapeString(raw: string, quote: string): string {
  if (!raw.includes("\\")) return raw;
  const json = quote === "'" ? raw.replaceAll("\\'", "'").replaceAll(/(?<!\\)"/gu, '\\"') : raw;
  try {
    const value: unknown = JSON.parse(`"${json}"`);
    return typeof value === "string" ? value : raw;
  } catch {
    // Escapes that JSON does not know, or a string that was cut off.
    return raw.replaceAll(/\\(.)/gsu, (_whole, char: string) => ESCAPES[char] ?? char);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** A text as it stands in a string with these quotes. */
export function escapeString(text: string, quote: string): string {
  const json = JSON.stringify(text).slice(1, -1);
  return quote === "'" ? json.replaceAll('\\"', '"').replaceAll("'", "\\'") : json;
}
