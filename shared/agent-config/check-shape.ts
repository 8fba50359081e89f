import type { Static, TSchema } from "typebox";
import {
  parseConfigInstant,
  LONGEST_DURATION_MS,
  parseDuration,
} from "#shared/agent-config/parse-duration.ts";
import type { Reporter, Target } from "#shared/agent-config/reporter.ts";
import { LARGEST_COUNT } from "#shared/agent-config/schemas/schema-parts.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { isJsonObject } from "#shared/json-object.ts";

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
 * the checks across entries can find further mistakes in the rest. The schema is interpreted: each service reads its configuration
 * once, and ajv takes 0.1 s of the processor to compile that of tarsy.yaml. Not every keyword is known here; ShapeReader has removed
 * unknown keys.
 */
export function checkShape<S extends TSchema>(schema: S, value: object, reporter: Reporter): CheckedShape<S> {
  const violations = [...violationsWithin(schema, value)];
  if (isWhole(schema, value, violations)) return { valid: true, value };
  for (const { target, rule, hint } of violations) reporter.error(target, rule, hint);
  removeInvalidParts(schema, value, violations);
  return { valid: false, value };
}

/** A broken rule, in the words of a configuration file. */
interface BrokenRule {
  readonly rule: string;
  readonly hint?: string;
  /** A list that is too short keeps what it has. */
  readonly keepsValue?: boolean;
}

interface Violation extends BrokenRule {
  readonly target: Target & { readonly key: string | number };
}

function isWhole<S extends TSchema>(
  _schema: S,
  _value: unknown,
  violations: readonly Violation[],
): _value is Static<S> {
  return violations.length === 0;
}

/** Removes the parts that violate the schema, given all its violations. What is missing stays missing. */
function removeInvalidParts<S extends TSchema>(
  _schema: S,
  _value: object,
  violations: readonly Violation[],
): asserts _value is object & Loose<Static<S>> {
  for (const { target, keepsValue } of violations) {
    if (keepsValue === true) continue;
    // A list keeps its length, without holes, which callbacks of lists pass over.
    if (Array.isArray(target.container)) Reflect.set(target.container, target.key, undefined);
    else Reflect.deleteProperty(target.container, target.key);
  }
}

/** The violations of the entries of a mapping or a list. */
function* violationsWithin(schema: TSchema, value: object): Generator<Violation> {
  if (Array.isArray(value)) {
    if (!Type.IsArray(schema)) return;
    for (const [key, item] of value.entries()) {
      yield* violationsOf(schema.items, item, { container: value, key });
    }
  } else if (Type.IsRecord(schema)) {
    const inner = Type.RecordValue(schema);
    for (const [key, entry] of Object.entries(value)) {
      yield* violationsOf(inner, entry, { container: value, key });
    }
  } else if (Type.IsObject(schema)) {
    for (const [key, inner] of Object.entries(schema.properties)) {
      const target = { container: value, key };
      const entry: unknown = Reflect.get(value, key);
      if (entry !== undefined) yield* violationsOf(inner, entry, target);
      else if (!Type.IsOptional(inner)) yield { target, rule: "is required" };
    }
  }
}

function* violationsOf(schema: TSchema, value: unknown, target: Violation["target"]): Generator<Violation> {
  const broken = brokenRule(schema, value);
  const secret = "secret" in schema || "secretIfWrong" in schema;
  if (broken !== undefined) yield { target: { ...target, secret }, ...broken };
  if (typeof value === "object" && value !== null) yield* violationsWithin(schema, value);
}

const KINDS: Readonly<Record<string, { readonly name: string; readonly has: (value: unknown) => boolean }>> =
  {
    object: {
      name: "a mapping",
      has: isJsonObject,
    },
    array: { name: "a list", has: Array.isArray },
    string: { name: "text", has: (value) => typeof value === "string" },
    integer: { name: "a whole number", has: Number.isInteger },
    number: { name: "a number", has: Number.isFinite },
    boolean: { name: "true or false", has: (value) => typeof value === "boolean" },
  };

/** The first rule of its own schema that a value breaks; rules of its entries are no part of it. */
function brokenRule(schema: TSchema, value: unknown): BrokenRule | undefined {
  if (Type.IsEnum(schema)) {
    if (schema.enum.some((allowed) => allowed === value)) return undefined;
    const hint = suggestName(typeof value === "string" ? value : "", schema.enum.map(String));
    return { rule: "must be one of the allowed values", hint };
  }
  const rules: Rules = { ...schema };
  const kind = KINDS[String(rules["type"])];
  if (kind === undefined) throw new Error(`a configuration cannot have type ${String(rules["type"])}`);
  if (!kind.has(value)) return { rule: `must be ${kind.name}${range(rules)}` };
  if (typeof value === "string") return brokenByText(rules, value);
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity } = rules;
    const fits = value >= Number(minimum) && value <= Number(maximum);
    return fits ? undefined : { rule: `must be ${kind.name}${range(rules)}` };
  }
  return Array.isArray(value) ? brokenByLength(rules, value.length) : undefined;
}

type Rules = Readonly<Record<string, unknown>>;

function brokenByText({ minLength, pattern, rule, format }: Rules, text: string): BrokenRule | undefined {
  if (minLength !== undefined && text === "") return { rule: "must not be empty" };
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(text)) {
    return { rule: typeof rule === "string" ? rule : "is not allowed" };
  }
  if (format === undefined) return undefined;
  if (format === "instant") {
    if (parseConfigInstant(text) !== undefined) return undefined;
    return { rule: "must be a time with its zone, or a day", hint: "write it like 2026-01-31T00:00:00Z" };
  }
  const broken = brokenDuration(parseDuration(text), format);
  return broken === undefined ? undefined : { rule: broken, hint: "write it like 500ms, 90s or 1h30m" };
}

function brokenDuration(duration: number | undefined, format: unknown): string | undefined {
  if (duration === undefined) return "must be a duration";
  if (duration > LONGEST_DURATION_MS && format !== "unused-duration") {
    return "must be a duration of at most 576h";
  }
  const isPositive = format === "duration-above-zero";
  if (duration >= (isPositive ? 1 : 0)) return undefined;
  return `must be a duration ${isPositive ? "above zero" : "of zero or more"}`;
}

function brokenByLength(
  { minItems = 0, maxItems = Infinity }: Rules,
  length: number,
): BrokenRule | undefined {
  if (length < Number(minItems)) return { rule: "must have at least one entry", keepsValue: true };
  return length > Number(maxItems) ? { rule: `must have at most ${String(maxItems)} entries` } : undefined;
}

function range({ minimum, maximum }: Rules): string {
  if (typeof minimum !== "number") return "";
  return typeof maximum !== "number" || maximum === LARGEST_COUNT
    ? ` of at least ${minimum}`
    : ` from ${minimum} to ${maximum}`;
}
