/** A value of unknown shape, read without assumptions. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/** A schema inside of another, and its place as OpenAI names it. */
interface FoundSchema {
  readonly schema: Record<string, unknown>;
  readonly path: readonly string[];
}

/** The schema and all schemas inside of it, whatever their form. */
export function* walkSchema(schema: unknown, path: readonly string[] = []): Generator<FoundSchema> {
  if (!isRecord(schema)) return;
  yield { schema, path };
  for (const key of MAPS) {
    const map = schema[key];
    if (!isRecord(map)) continue;
    for (const [name, inner] of Object.entries(map)) yield* walkSchema(inner, [...path, key, name]);
  }
  for (const key of [...LISTS, ...SINGLE]) {
    const inner = schema[key];
    const list: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
    for (const [index, one] of list.entries()) yield* walkSchema(one, [...path, key, String(index)]);
  }
}
