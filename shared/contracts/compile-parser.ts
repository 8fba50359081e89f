import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";
import { TerminalError } from "#shared/errors.ts";
import { withPlainNumbers } from "#shared/exact-json.ts";

/**
 * Options of ajv for the schemas in this repository. They make compiling three times as fast: TypeScript checks that these are
 * schemas, and V8 compiles what ajv would have simplified to the same machine code.
 */
export const OWN_SCHEMA_OPTIONS = { meta: false, validateSchema: false, code: { optimize: false } } as const;

const ajv = new Ajv({
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  // A time is checked by the code that reads it as one.
  formats: { "date-time": true },
  ...OWN_SCHEMA_OPTIONS,
});

/** Validates a decoded value against its contract and returns it typed. Throws TerminalError `malformed`. */
export type ValueParser<S extends TSchema> = (value: unknown) => Static<S>;

/**
 * Returns a contract's parser, which compiles the schema at its first call: a service loads far more contracts than it needs
 * until it is ready. `what` names the contract in the error, e.g. "session event".
 */
export function compileParser<S extends TSchema>(what: string, schema: S): ValueParser<S> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return (value) => {
    const validate = (compiled ??= ajv.compile<Static<S>>(schema));
    if (validate(value)) return value;
    const { errors } = validate;
    // A sum of Postgres' may have more digits than a double.
    const plain = withPlainNumbers(value);
    if (plain !== value && validate(plain)) return plain;
    throw new TerminalError("malformed", `malformed ${what}: ${describeViolation(errors?.[0])}`);
  };
}

function describeViolation(violation: ErrorObject | undefined): string {
  if (violation === undefined) return "does not match its schema";
  const path =
    violation.instancePath === "" ? "the value" : violation.instancePath.slice(1).replaceAll("/", ".");
  return `${path} ${violation.message ?? "is not allowed"}`;
}
