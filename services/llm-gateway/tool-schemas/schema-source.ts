import { JSON_TYPES, type JsonType, asList, type SchemaNode } from "./schema-node.ts";
import { isObject } from "#shared/exact-json.ts";

/** The address of a document that names none itself. */
const ROOT_BASE = "tool-schema://root/";
/** The number of values that are searched for identifiers. */
const MAX_SEARCHED = 50_000;
const DEFINITION_PLACES = [["$defs"], ["definitions"], ["components", "schemas"]];

/** A schema and the address that its references are relative to. */
export interface SchemaPlace {
  readonly value: unknown;
  readonly base: string;
}

/** One tool's schema, in which references are looked up. */
export class SchemaDocument {
  readonly root: SchemaPlace;
  readonly #places = new Map<string, SchemaPlace>();

  constructor(value: unknown) {
    this.root = { value, base: baseOf(value, ROOT_BASE) };
    this.#places.set(ROOT_BASE, this.root);
    this.#findIdentifiers(value, ROOT_BASE);
  }

  /**
   * The schema that a reference at this base leads to; undefined if it is not in the document. A reference that leads
   * nowhere by the rules is also tried from the root, and as the bare name of a definition, as some servers write it.
   */
  resolve(ref: string, base: string): SchemaPlace | undefined {
    const [path = "", fragment = ""] = split(ref);
    const address = withoutFragment(path === "" ? base : absolute(path, base));
    const resource = this.#places.get(address);
    return (
      (resource === undefined ? undefined : this.#at(resource, fragment, address)) ??
      (path === "" ? this.#at(this.root, fragment, this.root.base) : this.#definition(path))
    );
  }

  #at(resource: SchemaPlace, fragment: string, address: string): SchemaPlace | undefined {
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#places.get(`${address}#${fragment}`);
    let place = resource;
    for (const step of fragment.slice(1).split("/")) {
      const value = member(place.value, unescapePointer(step));
      if (value === undefined) return undefined;
      place = { value, base: baseOf(value, place.base) };
    }
    return place;
  }

  #definition(name: string): SchemaPlace | undefined {
    for (const path of DEFINITION_PLACES) {
      const found = member(
        path.reduce((value: unknown, step) => member(value, step), this.root.value),
        name,
      );
      if (found !== undefined) return { value: found, base: this.root.base };
    }
    return undefined;
  }

  /** Notes where `$id`, `id`, `$anchor` and `$dynamicAnchor` are; the first of each counts. */
  #findIdentifiers(root: unknown, rootBase: string): void {
    const queue: SchemaPlace[] = [{ value: root, base: rootBase }];
    for (let index = 0; index < queue.length && index < MAX_SEARCHED; index += 1) {
      const place = queue[index];
      if (place === undefined || typeof place.value !== "object" || place.value === null) continue;
      const base = baseOf(place.value, place.base);
      if (isObject(place.value)) this.#addIdentifiers(place.value, place.base, base);
      for (const value of Object.values(place.value)) queue.push({ value, base });
    }
  }

  #addIdentifiers(value: Record<string, unknown>, outer: string, base: string): void {
    const add = (address: string) => {
      if (!this.#places.has(address)) this.#places.set(address, { value, base });
    };
    if (base !== outer) add(base);
    for (const key of ["$id", "id"]) {
      const id = value[key];
      if (typeof id === "string" && id.includes("#")) add(absolute(id, outer));
    }
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const anchor = value[key];
      if (typeof anchor === "string") add(`${base}#${anchor}`);
    }
  }
}

/** The address that references inside of `value` are relative to. */
export function baseOf(value: unknown, outer: string): string {
  if (!isObject(value)) return outer;
  const id = value["$id"] ?? value["id"];
  if (typeof id !== "string" || id === "" || id.startsWith("#")) return outer;
  return withoutFragment(absolute(id, outer));
}

function absolute(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}

function split(ref: string): readonly string[] {
  const hash = ref.indexOf("#");
  if (hash === -1) return [ref, ""];
  return [ref.slice(0, hash), ref.slice(hash + 1)];
}

function withoutFragment(address: string): string {
  return split(address)[0] ?? address;
}

function member(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/u.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function unescapePointer(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Names that servers use for types, besides the standard's; in lower case. */
const ALIASES: Readonly<Record<string, JsonType>> = {
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  str: "string",
  text: "string",
  bool: "boolean",
  dict: "object",
  map: "object",
  list: "array",
  tuple: "array",
  none: "null",
};

/** The type that a name means; undefined for `any` and for names that mean nothing. */
export function typeNamed(name: unknown): JsonType | undefined {
  if (typeof name !== "string") return undefined;
  const lower = name.toLowerCase();
  return (
    JSON_TYPES.find((known) => known === lower) ??
    (Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined)
  );
}

/** The type of a JSON value. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

const RANGES = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;
const FLAGS = ["uniqueItems", "deprecated"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const TEXTS = ["pattern", "format", "contentEncoding", "contentMediaType"];

/** The keywords that limit or describe a single value, those with values of a wrong type excepted. */
export function readConstraints(schema: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const examples = schema["examples"] ?? schema["example"];
  const list: readonly unknown[] = Array.isArray(examples) ? examples : [examples];
  const shown = list.filter((example) => example !== undefined && example !== null);
  return new Map<string, unknown>([
    ...readLimits(schema),
    ...COUNTS.filter((key) => isCount(schema[key])).map((key) => [key, schema[key]] as const),
    ...TEXTS.filter((key) => readText(schema[key]) !== undefined).map((key) => [key, schema[key]] as const),
    ...FLAGS.filter((key) => schema[key] === true).map((key) => [key, true] as const),
    // "default: null" says no more than that an argument is optional, and contradicts most types.
    ...(schema["default"] === undefined || schema["default"] === null
      ? []
      : [["default", schema["default"]] as const]),
    ...(shown.length === 0 ? [] : [["examples", shown] as const]),
  ]);
}

function readLimits(schema: Record<string, unknown>): readonly (readonly [string, number])[] {
  const number = (key: string) => {
    const value = schema[key];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  };
  const step = number("multipleOf") ?? number("divisibleBy");
  const limits: [string, number][] = step !== undefined && step > 0 ? [["multipleOf", step]] : [];
  for (const [key, exclusive] of RANGES) {
    const limit = number(key);
    const beyond = number(exclusive);
    // The exclusive limit is a boolean beside the limit in draft 4.
    if (limit !== undefined) limits.push([schema[exclusive] === true ? exclusive : key, limit]);
    if (beyond !== undefined) limits.push([exclusive, beyond]);
  }
  return limits;
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The values of `enum` and `const`, each once; undefined if there is neither. */
export function readValues(schema: Record<string, unknown>): readonly unknown[] | undefined {
  const list: unknown = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(list)) return undefined;
  const values = new Map<string, unknown>();
  for (const value of list) values.set(JSON.stringify(value), value);
  return values.size === 0 ? undefined : [...values.values()];
}

/** A text that is not blank; undefined for anything else. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The strings in a list; empty for anything else. */
export function readNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

/** The members of an object; empty for anything else. */
export function readMembers(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The types of a node by its `type` and by its other keywords. */
export function declaredTypes(node: SchemaNode, named: readonly JsonType[]): readonly JsonType[] | undefined {
  const types = [...new Set(named)];
  if (node.values !== undefined) {
    const ofValues = [...new Set(node.values.map(typeOf))];
    const fitting = ofValues.filter(
      (type) =>
        types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number")),
    );
    // Values that do not fit the type beside them: the values say more.
    return fitting.length === ofValues.length && types.length > 0 ? types : ofValues;
  }
  if (types.length > 0) return types;
  if (node.properties.size > 0 || node.additional !== undefined) return ["object"];
  return node.items === undefined && node.prefix === undefined ? undefined : ["array"];
}

/** The properties that must be present with others, by `dependentRequired` and the `dependencies` of earlier drafts. */
export function readDependent(
  schema: Record<string, unknown>,
  properties: ReadonlyMap<string, SchemaNode>,
): ReadonlyMap<string, readonly string[]> {
  const dependent = new Map<string, readonly string[]>();
  for (const key of ["dependencies", "dependentRequired"]) {
    for (const [name, value] of readMembers(schema[key])) {
      // Draft 3 has a single name.
      const names = readNames(asList(value)).filter((other) => properties.has(other));
      if (names.length > 0 && properties.has(name)) dependent.set(name, names);
    }
  }
  return dependent;
}
