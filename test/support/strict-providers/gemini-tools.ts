import { isRecord, walkSchema } from "./walk-schema.ts";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/u;
const MAX_DECLARATIONS = 512;

/** The message with which Gemini refuses a request's function declarations, and doubtful ones; undefined if it accepts them. */
export function refusedGeminiTools(body: unknown): string | undefined {
  const tools = isRecord(body) && Array.isArray(body["tools"]) ? body["tools"].filter(isRecord) : [];
  const declarations = tools.flatMap((tool) => {
    const list: unknown = tool["functionDeclarations"];
    return Array.isArray(list) ? list.filter(isRecord) : [];
  });
  if (declarations.length > MAX_DECLARATIONS) return `at most ${MAX_DECLARATIONS} function declarations`;
  const names = new Set<string>();
  for (const [index, { name, parametersJsonSchema: schema }] of declarations.entries()) {
    if (typeof name !== "string" || !NAME.test(name)) {
      return `tools[0].function_declarations[${index}].name: Invalid function name.`;
    }
    if (names.has(name)) return `Duplicate function declaration found: ${name}`;
    names.add(name);
    const problem = schema === undefined ? undefined : refusedParameters(schema);
    if (problem !== undefined) {
      return `tools[0].function_declarations[${index}].parameters_json_schema: ${problem}`;
    }
  }
  return undefined;
}

function refusedParameters(root: unknown): string | undefined {
  if (!isRecord(root)) return "must be an object";
  if (root["type"] !== "object") return "parameters schema should be of type OBJECT";
  for (const { schema, path } of walkSchema(root)) {
    const problem = refusedSchema(schema, root);
    if (problem !== undefined) return `${path.join(".")}: ${problem}`;
  }
  return undefined;
}

function refusedSchema(schema: Record<string, unknown>, root: Record<string, unknown>): string | undefined {
  const { $ref: ref, required, enum: values, items, properties } = schema;
  if (ref !== undefined) {
    if (Object.keys(schema).some((key) => !key.startsWith("$"))) {
      return "$ref was set alongside unsupported fields";
    }
    const name =
      typeof ref === "string" ? /^#\/\$defs\/(?<name>[^/]+)$/u.exec(ref)?.groups?.["name"] : undefined;
    const definitions = root["$defs"];
    if (name === undefined || !isRecord(definitions) || !Object.hasOwn(definitions, name)) {
      return "reference to undefined schema";
    }
  }
  if (Array.isArray(items)) return "items must be a schema";
  if (required !== undefined && !Array.isArray(required)) return "required must be a list";
  if (Array.isArray(required) && isRecord(properties)) {
    const names: readonly unknown[] = required;
    const missing = names.find((name) => typeof name === "string" && !Object.hasOwn(properties, name));
    if (missing !== undefined) return `required: property is not defined: ${JSON.stringify(missing)}`;
  }
  if (Array.isArray(values)) {
    const kinds = new Set(values.map((value) => typeof value));
    if (kinds.size !== 1 || !(kinds.has("string") || kinds.has("number"))) {
      return "enum: only strings and numbers are allowed";
    }
  }
  return undefined;
}
