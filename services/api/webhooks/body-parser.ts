import { Ajv, type ValidateFunction } from "ajv";
import type { Static, TObject } from "typebox";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { RequestError, validationError } from "../http/request-error.ts";

const ajv = new Ajv({ ...OWN_SCHEMA_OPTIONS, strict: false });

/** Returns a reader of decoded bodies that keeps unknown members. It throws RequestError 400 naming the first wrong field. */
export function parserOf<S extends TObject>(schema: S): (body: unknown) => Static<S> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return (body) => {
    const validate = (compiled ??= ajv.compile<Static<S>>(schema));
    if (validate(body)) return body;
    const { instancePath = "", params = {}, message = "is not allowed" } = validate.errors?.[0] ?? {};
    const missing: unknown = params["missingProperty"];
    const path = `${instancePath}${typeof missing === "string" ? `/${missing}` : ""}`;
    if (path === "") throw new RequestError(400, "request body must be a JSON object");
    const field = path
      .slice(1)
      .replaceAll(/\/(\d+)(?=\/|$)/gu, "[$1]")
      .replaceAll("/", ".");
    throw validationError(field.slice(0, 200), typeof missing === "string" ? "is required" : message);
  };
}
