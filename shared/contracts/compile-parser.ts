import { Ajv, type ErrorObject } from "ajv";
import type { Static, TSchema } from "typebox";
import { TerminalError } from "#shared/errors.ts";

const ajv = new Ajv({ allErrors: false, strict: true, allowUnionTypes: true });

/** Validates a decoded value against its contract and returns it typed. Throws TerminalError `malformed`. */
export type ValueParser<S extends TSchema> = (value: unknown) => Static<S>;

/** Compiles a contract's schema into its parser. `what` names the contract in the error, e.g. "session event". */
export function compileParser<S extends TSchema>(what: string, schema: S): ValueParser<S> {
  const validate = ajv.compile<Static<S>>(schema);
  return (value) => {
    if (validate(value)) return value;
    throw new TerminalError("malformed", `malformed ${what}: ${describeViolation(validate.errors?.[0])}`);
  };
}

function describeViolation(violation: ErrorObject | undefined): string {
  if (violation === undefined) return "does not match its schema";
  const path =
    violation.instancePath === "" ? "the value" : violation.instancePath.slice(1).replaceAll("/", ".");
  return `${path} ${violation.message ?? "is not allowed"}`;
}
