import { Ajv, type ErrorObject } from "ajv";
import { Type, type Static } from "typebox";
import { RequestError } from "../http/request-error.ts";

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const OptionalText = Type.Optional(nullable(Type.String()));
/** A runbook may be written out, but not be a book. */
const MAX_RUNBOOK_CHARACTERS = 65_536;
const Name = Type.String({ maxLength: 200 });
const OptionalFlag = Type.Optional(nullable(Type.Boolean()));

/** Which servers and tools an alert asks for; absent or null means the configuration's own. */
const McpSelection = Type.Object({
  servers: Type.Array(
    Type.Object({ name: Name, tools: Type.Optional(nullable(Type.Array(Name, { maxItems: 500 }))) }),
    { maxItems: 100 },
  ),
  native_tools: Type.Optional(
    nullable(
      Type.Object({ google_search: OptionalFlag, code_execution: OptionalFlag, url_context: OptionalFlag }),
    ),
  ),
});
export type McpSelection = Static<typeof McpSelection>;

/** The body of a submission. Unknown fields are ignored. */
const AlertRequest = Type.Object({
  data: OptionalText,
  alert_type: OptionalText,
  runbook: Type.Optional(nullable(Type.String({ maxLength: MAX_RUNBOOK_CHARACTERS }))),
  mcp: Type.Optional(nullable(McpSelection)),
});
export type AlertRequest = Static<typeof AlertRequest>;

// Unknown members are dropped, not carried on: one may be nested deeper than anyone can write again.
const validate = new Ajv({
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  removeAdditional: "all",
}).compile<AlertRequest>(AlertRequest);

/** Checks a decoded body and drops its unknown members. Throws RequestError 400 naming the field, what it is and what it must be. */
export function parseAlertRequest(body: unknown): AlertRequest {
  if (validate(body)) return body;
  // A union reports its null branch too; the other branch's complaint is the one that helps.
  const errors = validate.errors ?? [];
  const violation = errors.find(isTelling) ?? errors[0];
  const path = fieldPath(violation?.instancePath ?? "");
  const place = path === "" ? "request body" : `field '${path}'`;
  const what = typeName(violation?.data);
  throw new RequestError(400, `${place} ${violation?.message ?? "is not allowed"}, got ${what}`);
}

/** A JSON pointer as people write it: `/mcp/servers/0/name` is `mcp.servers[0].name`. */
function fieldPath(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/gu, "[$1]")
    .replaceAll("/", ".");
}

function isTelling({ keyword, params }: ErrorObject): boolean {
  return keyword !== "anyOf" && !(keyword === "type" && params["type"] === "null");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
