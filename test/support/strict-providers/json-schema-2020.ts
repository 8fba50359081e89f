import { Ajv2020 } from "ajv/dist/2020.js";
import { walkSchema } from "./walk-schema.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const META = "https://json-schema.org/draft/2020-12/schema";
/** What Python's re module does not compile although JavaScript does. */
const NOT_PYTHON = /\\[pPk]|\\u\{|\(\?<[A-Za-z]/u;

/** Why a schema is none of draft 2020-12, as APIs that check it with Python's jsonschema; undefined if it is one. */
export function brokenSchema(schema: unknown): string | undefined {
  if (!ajv.validate(META, schema)) return ajv.errorsText(ajv.errors, { dataVar: "schema" });
  for (const { schema: inner } of walkSchema(schema)) {
    const { pattern } = inner;
    if (typeof pattern === "string" && (NOT_PYTHON.test(pattern) || !compiles(pattern))) {
      return `'${pattern}' is not a 'regex'`;
    }
  }
  return undefined;
}

function compiles(pattern: string): boolean {
  try {
    void new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Local references that lead nowhere. */
export function danglingReference(root: unknown): string | undefined {
  for (const { schema } of walkSchema(root)) {
    const { $ref: ref } = schema;
    if (typeof ref === "string" && !leadsSomewhere(root, ref)) return ref;
  }
  return undefined;
}

function leadsSomewhere(root: unknown, ref: string): boolean {
  if (ref === "#") return true;
  if (!ref.startsWith("#/")) return false;
  let value: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return true;
}
