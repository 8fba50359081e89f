import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TObject } from "typebox";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { RequestError, abbreviate, validationError } from "./request-error.ts";
import { ruleOf } from "./schema-rule.ts";

const ajv = new Ajv({ ...OWN_SCHEMA_OPTIONS, strict: false, verbose: true, removeAdditional: "all" });

/**
 * Returns a reader of a route's decoded body, by the schema that the OpenAPI document shows; unknown members are removed. It
 * throws RequestError 400 naming the first invalid field, what it must be, and what it is.
 */
export function bodyReader<S extends TObject>(schema: S): (body: unknown) => Static<S> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return (body) => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      throw new RequestError(400, "request body must be a JSON object");
    }
    const validate = (compiled ??= ajv.compile<Static<S>>(schema));
    if (validate(body)) return body;
    // A nullable field also reports that it is not null; the error of the other branch is the useful one.
    const errors = validate.errors ?? [];
    throw refusal(errors.find(isUseful) ?? errors[0]);
  };
}

function isUseful({ keyword, params }: ErrorObject): boolean {
  return keyword !== "anyOf" && !(keyword === "type" && params["type"] === "null");
}

function refusal(error: ErrorObject | undefined): RequestError {
  const missing: unknown = error?.params["missingProperty"];
  const path = `${error?.instancePath ?? ""}${typeof missing === "string" ? `/${missing}` : ""}`;
  if (typeof missing === "string") return validationError(fieldPath(path), "is required");
  if (error?.keyword === "type") {
    const type = String(error.params["type"]);
    return validationError(fieldPath(path), `must be ${type === "string" ? "a string" : `of type ${type}`}`);
  }
  const { why, allowed } = ruleOf(error?.parentSchema);
  return validationError(
    fieldPath(path),
    allowed === undefined ? why : `${why}, got ${given(error?.data)}`,
    allowed,
  );
}

/** Formats a JSON pointer for people: `/mcp/servers/0/name` becomes `mcp.servers[0].name`. */
function fieldPath(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/gu, "[$1]")
    .replaceAll("/", ".");
}

function given(value: unknown): string {
  if (typeof value === "string") return `'${abbreviate(value)}'`;
  return value === null ? "null" : typeof value;
}
