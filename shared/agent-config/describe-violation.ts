import type { ErrorObject } from "ajv";
import { LONGEST_DURATION_MS, parseDuration } from "#shared/agent-config/parse-duration.ts";
import { suggest } from "#shared/agent-config/reporter.ts";

/** A schema violation in words. */
export interface Violation {
  readonly rule: string;
  readonly hint?: string;
  readonly secret: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  object: "a mapping",
  array: "a list",
  string: "text",
  integer: "a whole number",
  boolean: "true or false",
};

/** Says what an ajv error means to whoever wrote the file. The error must be verbose. */
export function describeViolation(error: ErrorObject): Violation {
  const schema = asRecord(error.parentSchema);
  const secret = schema["secret"] === true || schema["secretIfWrong"] === true;
  const { rule } = schema;
  if (typeof rule === "string" && error.keyword === "pattern") return { rule, secret };
  switch (error.keyword) {
    case "type":
      return {
        rule: `must be ${KINDS[String(schema["type"])] ?? "of another type"}${range(schema)}`,
        secret,
      };
    case "enum":
      return { ...describeEnum(error), secret };
    case "minimum":
    case "maximum":
      return { rule: `must be a whole number${range(schema)}`, secret };
    case "minItems":
      return { rule: "must have at least one entry", secret };
    case "minLength":
      return { rule: "must not be empty", secret };
    case "required":
      return { rule: "is required", secret };
    case "format":
      return { rule: describeDuration(error), hint: "write it like 500ms, 90s or 1h30m", secret };
    default:
      return { rule: error.message ?? "is not allowed", secret };
  }
}

function describeDuration(error: ErrorObject): string {
  const parsed = typeof error.data === "string" ? parseDuration(error.data) : undefined;
  if (parsed === undefined) return "must be a duration";
  if (parsed > LONGEST_DURATION_MS) return "must be a duration of at most 576h";
  return error.params["format"] === "duration-or-zero"
    ? "must be a duration of zero or more"
    : "must be a duration above zero";
}

function describeEnum(error: ErrorObject): { rule: string; hint: string } {
  const allowed: unknown = error.params["allowedValues"];
  const names = Array.isArray(allowed) ? allowed.map(String) : [];
  const rule = "must be one of the allowed values";
  return { rule, hint: suggest(typeof error.data === "string" ? error.data : "", names) };
}

function range(schema: Readonly<Record<string, unknown>>): string {
  const { minimum, maximum } = schema;
  if (typeof minimum !== "number") return "";
  if (typeof maximum !== "number" || maximum >= 2_147_483_647) return ` of at least ${minimum}`;
  return ` from ${minimum} to ${maximum}`;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
