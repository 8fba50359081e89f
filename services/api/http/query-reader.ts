import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TObject } from "typebox";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { validationError } from "./request-error.ts";
import { ruleOf } from "./schema-rule.ts";

const ajv = new Ajv({ ...OWN_SCHEMA_OPTIONS, strict: false, useDefaults: true, verbose: true });

/** The query of a request, as Koa has it. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns a reader of a route's query, by the schema that the OpenAPI document shows. Absent parameters take their defaults,
 * unknown ones are left out. It throws RequestError 400 naming the first invalid parameter and what it must be.
 */
export function queryReader<S extends TObject>(schema: S): (query: Query) => Static<S> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  const properties = new Map<string, unknown>(Object.entries(schema.properties));
  return (query) => {
    const given: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const text = query[name];
      if (text === undefined) continue;
      if (typeof text !== "string") {
        throw validationError(name, isWhole(property) ? ruleOf(property).why : "must be given once");
      }
      given[name] = isWhole(property) && /^\d{1,10}$/u.test(text) ? Number(text) : text;
    }
    const validate = (compiled ??= ajv.compile<Static<S>>(schema));
    if (validate(given)) return given;
    const name = fieldOf(validate.errors?.[0]);
    const { why, allowed } = ruleOf(properties.get(name));
    throw validationError(name, why, allowed);
  };
}

function fieldOf(error: ErrorObject | undefined): string {
  const missing: unknown = error?.params["missingProperty"];
  return typeof missing === "string" ? missing : (error?.instancePath.slice(1).split("/", 1)[0] ?? "");
}

function isWhole(property: unknown): boolean {
  return (
    typeof property === "object" && property !== null && "type" in property && property.type === "integer"
  );
}
