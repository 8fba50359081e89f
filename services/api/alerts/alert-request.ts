import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { RequestError } from "../http/request-error.ts";
import { AlertRequest } from "./contract.ts";

const ajv = new Ajv({
  ...OWN_SCHEMA_OPTIONS,
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  removeAdditional: "all",
});
let compiled: ValidateFunction<AlertRequest> | undefined;

/** Validates a decoded body and removes unknown members. Throws RequestError 400 naming the field, its type and the rule. */
export function parseAlertRequest(body: unknown): AlertRequest {
  const validate = (compiled ??= ajv.compile<AlertRequest>(AlertRequest));
  if (validate(body)) return body;
  // A nullable field also reports that it is not null; the error of the other branch is the useful one.
  const errors = validate.errors ?? [];
  const violation = errors.find(isUseful) ?? errors[0];
  const path = fieldPath(violation?.instancePath ?? "");
  const subject = path === "" ? "request body" : `field '${path}'`;
  const type = typeName(violation?.data);
  throw new RequestError(400, `${subject} ${violation?.message ?? "is not allowed"}, got ${type}`);
}

/** Formats a JSON pointer for people: `/mcp/servers/0/name` becomes `mcp.servers[0].name`. */
function fieldPath(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/gu, "[$1]")
    .replaceAll("/", ".");
}

function isUseful({ keyword, params }: ErrorObject): boolean {
  return keyword !== "anyOf" && !(keyword === "type" && params["type"] === "null");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
