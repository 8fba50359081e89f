import { Ajv, type ErrorObject } from "ajv";
import type { Static, TSchema } from "typebox";
import { TerminalError } from "#shared/errors.ts";

const ajv = new Ajv({ allErrors: false, strict: true, allowUnionTypes: true });

/** Checks a decoded value against the contract and returns it typed. Throws TerminalError `malformed`. */
export type ValueParser<S extends TSchema> = (value: unknown) => Static<S>;

/**
 * Compiles a contract's schema once into the parser through which every such value enters a process.
 * `what` names the contract in the error, e.g. "session event".
 */
export function compileParser<S extends TSchema>(what: string, schema: S): ValueParser<S> {
  const validate = ajv.compile<Static<S>>(schema);
  return (value) => {
    if (validate(value)) return value;
    throw new TerminalError("malformed", `malformed ${what}: ${describeViolation(validate.errors?.[0])}`);
  };
}

function describeViolation(violation: ErrorObject | undefined): string {
  if (violation === undefined) return "does not match its schema";
  const place =
    violation.instancePath === "" ? "the value" : violation.instancePath.slice(1).replaceAll("/", ".");
  return `${place} ${violation.message ?? "is not allowed"}`;
}
