import { isObject } from "../parse-json.ts";
import { JSON_TYPES, type JsonType } from "./schema-node.ts";

/** What servers write for types, besides the standard's names; in lower case. */
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
    // In draft 4 the exclusive limit is a boolean beside the limit.
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
