import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { withPlainNumbers } from "#shared/exact-json.ts";

/** Says what is wrong with arguments, worded for the model; undefined if nothing is. */
export type ArgumentsCheck = (args: Readonly<Record<string, unknown>>) => string | undefined;

/** A longer schema is left to the server. */
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_PROBLEMS = 5;
const MAX_ALLOWED_CHARS = 300;
/** Keywords whose check may take long for values that a model writes, by patterns that a server writes; the server checks them. */
const UNCHECKED = ["pattern", "patternProperties", "uniqueItems"];
/** A schema with masked values does not even say its values. */
const MASKED = "[MASKED";
/** `ownProperties`: a parameter may be called `constructor`, which every object inherits. */
const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  ownProperties: true,
} as const;

/**
 * Compiles the schema of a tool's arguments: JSON Schema of 2020-12, or of draft 7 if it says so. What cannot be compiled checks
 * nothing: the server does. A required member with a default may be missing, because the server fills it in.
 */
export function compileArgumentsCheck(schemaText: string): ArgumentsCheck {
  const unchecked = () => undefined;
  if (schemaText.length > MAX_SCHEMA_CHARS || schemaText.includes(MASKED)) return unchecked;
  try {
    const schema: unknown = JSON.parse(schemaText, withoutFilledIn);
    if (typeof schema !== "object" || schema === null) return unchecked;
    const ajv = /draft-0[467]/u.test(String(Reflect.get(schema, "$schema")))
      ? new Ajv(OPTIONS)
      : new Ajv2020(OPTIONS);
    for (const keyword of UNCHECKED) ajv.removeKeyword(keyword);
    const { $schema: _draft, ...keywords }: Record<string, unknown> = { ...schema };
    const isValid = ajv.compile(keywords);
    return (args) => {
      try {
        if (isValid(withPlainNumbers(args))) return undefined;
      } catch {
        return undefined; // nested too deep
      }
      return `The arguments do not match the tool's parameters: ${problemsOf(isValid.errors ?? [])}. The call was not made.`;
    };
  } catch {
    return unchecked;
  }
}

/** Each value of a schema; where members are required, without those that have a default. */
function withoutFilledIn(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { required, properties, ...others }: Record<string, unknown> = { ...value };
  if (!Array.isArray(required) || typeof properties !== "object" || properties === null) return value;
  const hasDefault = (name: unknown) => {
    const member: unknown = typeof name === "string" ? Reflect.get(properties, name) : undefined;
    return typeof member === "object" && member !== null && Reflect.get(member, "default") !== undefined;
  };
  return { ...others, properties, required: required.filter((name) => !hasDefault(name)) };
}

function problemsOf(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(problemOf))];
  const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
  return [...problems.slice(0, MAX_PROBLEMS), ...more].join("; ");
}

function problemOf({ instancePath, message = "is not valid", keyword, params }: ErrorObject): string {
  const place = `arguments${instancePath}`;
  if (keyword === "additionalProperties") {
    return `${place} must not have ${JSON.stringify(params["additionalProperty"])}`;
  }
  if (keyword !== "enum" && keyword !== "const") return `${place} ${message}`;
  const allowed = JSON.stringify(params["allowedValues"] ?? params["allowedValue"]);
  return `${place} must be ${keyword === "enum" ? "one of " : ""}${allowed.slice(0, MAX_ALLOWED_CHARS)}`;
}
