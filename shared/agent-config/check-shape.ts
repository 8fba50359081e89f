import { Ajv, type ErrorObject } from "ajv";
import type { Static, TSchema } from "typebox";
import {
  parseConfigInstant,
  LONGEST_DURATION_MS,
  parseDuration,
} from "#shared/agent-config/parse-duration.ts";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import type { Reporter, Target } from "#shared/agent-config/reporter.ts";
import { LARGEST_COUNT } from "#shared/agent-config/schemas/schema-parts.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";

const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, ...OWN_SCHEMA_OPTIONS });
ajv.addVocabulary(["freeText", "rule", "secret", "secretIfWrong", "shorthand", "template", "zeroUnset"]);
ajv.addFormat("duration-above-zero", { type: "string", validate: (text: string) => isDuration(text, 1) });
ajv.addFormat("instant", {
  type: "string",
  validate: (text: string) => parseConfigInstant(text) !== undefined,
});
ajv.addFormat("duration-or-zero", { type: "string", validate: (text: string) => isDuration(text, 0) });
ajv.addFormat("unused-duration", {
  type: "string",
  validate: (text: string) => (parseDuration(text) ?? -1) >= 0,
});

function isDuration(text: string, minimum: number): boolean {
  const duration = parseDuration(text);
  return duration !== undefined && duration >= minimum && duration <= LONGEST_DURATION_MS;
}

/** A value without its invalid parts: keys may be missing and lists may have holes. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? (Loose<Item> | undefined)[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> }
    : T;

/** The whole value if it is valid, else its valid parts. */
export type CheckedShape<S extends TSchema> =
  | { readonly valid: true; readonly value: Static<S> }
  | { readonly valid: false; readonly value: Loose<Static<S>> };

/**
 * Reports every violation of the schema at its position and removes the invalid parts from the value, so that
 * the checks across entries can find further mistakes in the rest.
 */
export function checkShape<S extends TSchema>(schema: S, value: object, reporter: Reporter): CheckedShape<S> {
  const validate = ajv.compile<Static<S>>(schema);
  if (validate(value)) return { valid: true, value };
  const errors = validate.errors ?? [];
  for (const error of errors) {
    const { rule, hint } = describeViolation(error);
    const { secret, secretIfWrong } = asRecord(error.parentSchema);
    const isSecret = secret === true || secretIfWrong === true;
    reporter.error({ ...locate(value, error), secret: isSecret }, rule, hint);
  }
  removeInvalidParts(schema, value, errors);
  return { valid: false, value };
}

/** Removes the parts that violate the schema, given all its violations. What is missing stays missing. */
function removeInvalidParts<S extends TSchema>(
  _schema: S,
  value: object,
  errors: readonly ErrorObject[],
): asserts value is object & Loose<Static<S>> {
  const parts = errors.filter(({ keyword }) => keyword !== "minItems").map((error) => locate(value, error));
  for (const { container, key } of parts) {
    if (key === undefined) continue;
    // A list keeps its length, without holes, which callbacks of lists pass over.
    if (Array.isArray(container)) Reflect.set(container, key, undefined);
    else Reflect.deleteProperty(container, key);
  }
}

/** The container and key an ajv error is about. */
function locate(root: object, error: ErrorObject): Pick<Target, "container" | "key"> {
  const segments = error.instancePath.split("/").slice(1).map(unescapePointer);
  const missing: unknown = error.keyword === "required" ? error.params["missingProperty"] : undefined;
  if (typeof missing === "string") segments.push(missing);
  let container = root;
  let key: string | number | undefined;
  for (const segment of segments) {
    const inner: unknown = key === undefined ? undefined : Reflect.get(container, key);
    if (typeof inner === "object" && inner !== null) container = inner;
    key = Array.isArray(container) ? Number(segment) : segment;
  }
  return key === undefined ? { container } : { container, key };
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

const KINDS: Readonly<Record<string, string>> = {
  object: "a mapping",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** The broken rule in the words of a configuration file. */
function describeViolation(error: ErrorObject): { readonly rule: string; readonly hint?: string } {
  const schema = asRecord(error.parentSchema);
  switch (error.keyword) {
    case "type":
      return { rule: `must be ${KINDS[String(schema["type"])] ?? "of another type"}${range(schema)}` };
    case "enum":
      return { rule: "must be one of the allowed values", hint: suggestValue(error) };
    case "pattern":
      return { rule: typeof schema["rule"] === "string" ? schema["rule"] : "is not allowed" };
    case "minimum":
    case "maximum":
      return { rule: `must be ${KINDS[String(schema["type"])] ?? "a number"}${range(schema)}` };
    case "minItems":
      return { rule: "must have at least one entry" };
    case "maxItems":
      return { rule: `must have at most ${String(schema["maxItems"])} entries` };
    case "minLength":
      return { rule: "must not be empty" };
    case "required":
      return { rule: "is required" };
    case "format":
      if (error.params["format"] === "instant") {
        return { rule: "must be a time with its zone, or a day", hint: "write it like 2026-01-31T00:00:00Z" };
      }
      return { rule: describeDuration(error), hint: "write it like 500ms, 90s or 1h30m" };
    default:
      return { rule: error.message ?? "is not allowed" };
  }
}

function describeDuration(error: ErrorObject): string {
  const parsed = typeof error.data === "string" ? parseDuration(error.data) : undefined;
  if (parsed === undefined) return "must be a duration";
  const { format } = error.params;
  if (parsed > LONGEST_DURATION_MS && format !== "unused-duration") {
    return "must be a duration of at most 576h";
  }
  return format === "duration-above-zero"
    ? "must be a duration above zero"
    : "must be a duration of zero or more";
}

function suggestValue({ data, params }: ErrorObject): string {
  const allowed: unknown = params["allowedValues"];
  return suggestName(typeof data === "string" ? data : "", Array.isArray(allowed) ? allowed.map(String) : []);
}

function range({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  if (typeof minimum !== "number") return "";
  return typeof maximum !== "number" || maximum === LARGEST_COUNT
    ? ` of at least ${minimum}`
    : ` from ${minimum} to ${maximum}`;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
