import { Type, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import { PACK_DESCRIPTIONS } from "#shared/agent-config/schemas/pack-descriptions.ts";
import { KEY_DESCRIPTIONS } from "#shared/agent-config/schemas/key-descriptions.ts";

/** A one-line description of the keys of stub-tools.yaml, for editors; docs/configuration.md has the rules. By key, or `parent.key`. */
const STUB_DESCRIPTIONS: Readonly<Record<string, string>> = {
  call_log: "A file to which each call is appended as a line of JSON.",
  servers: "Tools by server id, then by name; they take the place of those of the server.",
  "servers.description": "What the tool does, for the model.",
  "servers.read_only": "true is the same as effect: read.",
  effect: "What a call does; calls of read and idempotent may be repeated after a crash.",
  "servers.approve": "Whether each call needs approval; false by default.",
  parameters:
    "JSON Schema (draft 7, type object) of the arguments, as JSON text; by default any are accepted.",
  results: "The first that applies to a call is its result.",
  arguments: "Applies only to calls with these arguments, each compared as text.",
  delay: "Waited before the result, like 200ms.",
  text: "The result.",
  error: "A result that reports the tool's own failure.",
  exception: "The tool throws an error with this message.",
  bytes: "A result of this many bytes.",
  base64: "A result of these bytes, which need not be text.",
  hang: "true: never answers.",
};

const DESCRIPTIONS = { ...STUB_DESCRIPTIONS, ...PACK_DESCRIPTIONS, ...KEY_DESCRIPTIONS };

/** A plain JSON Schema (draft 7). */
type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A template is text to the editor or, unquoted, a mapping of one key without a value. The value inserted for it
 * is checked when the file is loaded.
 */
const TEMPLATE: JsonSchema = {
  description: "An inserted environment variable, as {{.NAME}}.",
  anyOf: [
    { type: "string", pattern: "\\{\\{" },
    { type: "object", minProperties: 1, maxProperties: 1, additionalProperties: { type: "null" } },
  ],
};

const OR_TEMPLATE = { $ref: "#/definitions/template" };
const OR_NULL = { type: "null" };
const DURATION: JsonSchema = {
  type: "string",
  pattern: "^\\+?(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$",
  // Editors show this text instead of the pattern; other validators ignore it.
  patternErrorMessage: "must be a duration; write it like 500ms, 90s or 1h30m",
};

const INSTANT: JsonSchema = {
  type: "string",
  pattern:
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))?$",
  patternErrorMessage: "must be a time with its zone; write it like 2026-01-31T00:00:00Z",
};

/**
 * Derives the JSON Schema of a file for editors from the schema the loader checks with. It accepts what the loader
 * accepts: a template instead of any value, keys without a value, numbers where text is expected, unknown keys.
 * Only the loader checks the rules across entries.
 */
export function editorSchema(schema: TSchema, about: { title: string; description: string }): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...about,
    ...convert(schema, "file"),
    definitions: { template: TEMPLATE },
  };
}

/** `parent` is the nearest enclosing key of the schema; it selects among the descriptions of a key. */
function convert(schema: TSchema, parent: string): JsonSchema {
  return anyOf(forms(schema, parent));
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas };
}

/** The allowed notations of a value. */
function forms(schema: TSchema, parent: string): JsonSchema[] {
  if (Type.IsObject(schema)) {
    const { shorthand } = keywords(schema, ["shorthand"]);
    const short = typeof shorthand === "string" ? schema.properties[shorthand] : undefined;
    return [...(short === undefined ? [] : forms(short, parent)), convertObject(schema.properties, parent)];
  }
  if (Type.IsRecord(schema)) {
    return [{ type: "object", additionalProperties: convert(Type.RecordValue(schema), parent) }];
  }
  if (Type.IsArray(schema)) {
    return [{ type: "array", ...keywords(schema, ["minItems"]), items: convert(schema.items, parent) }];
  }
  return [...scalarForms(schema), OR_TEMPLATE];
}

function convertObject(written: Readonly<Record<string, TSchema>>, parent: string): JsonSchema {
  const keys = Object.entries(written);
  const required = keys.filter(([, inner]) => !Type.IsOptional(inner)).map(([key]) => key);
  const properties = keys.map(([key, inner]) => {
    const allowed = forms(inner, key);
    if (Type.IsOptional(inner)) allowed.push(OR_NULL);
    return [key, { description: describe(key, parent), ...anyOf(allowed) }] as const;
  });
  return {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties),
  };
}

function keywords(schema: TSchema, names: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));
}

function scalarForms(schema: TSchema): JsonSchema[] {
  if (Type.IsEnum(schema)) return [{ enum: schema.enum }];
  if (Type.IsInteger(schema)) {
    return [
      { type: "integer", ...keywords(schema, ["minimum", "maximum"]) },
      { type: "string", pattern: "^[0-9]+(?:_[0-9]+)+$" },
    ];
  }
  if (Type.IsNumber(schema)) return [{ type: "number", ...keywords(schema, ["minimum", "maximum"]) }];
  if (Type.IsBoolean(schema)) {
    return [
      { type: "boolean" },
      { type: "string", pattern: "^(?:[Yy]|[Yy]es|YES|[Oo]n|ON|[Nn]|[Nn]o|NO|[Oo]ff|OFF)$" },
    ];
  }
  if (!Type.IsString(schema)) throw new Error(`editorSchema knows no ${JSON.stringify(schema)}`);
  const { format, pattern, rule } = keywords(schema, ["format", "pattern", "rule"]);
  if (format === "duration-above-zero") return [DURATION];
  if (format === "duration-or-zero" || format === "unused-duration") return [DURATION, { enum: [0, "0"] }];
  if (format === "instant") return [INSTANT];
  if (pattern !== undefined) return [{ type: "string", pattern, patternErrorMessage: rule }];
  return [{ type: "string", ...keywords(schema, ["minLength"]) }, { type: ["number", "boolean"] }];
}

function describe(key: string, parent: string): string {
  const description = DESCRIPTIONS[`${parent}.${key}`] ?? DESCRIPTIONS[key];
  if (description === undefined) {
    throw new Error(`key ${key} below ${parent} has no description; add one to key-descriptions.ts`);
  }
  return description;
}
