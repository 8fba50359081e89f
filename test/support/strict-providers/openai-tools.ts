import { brokenSchema, danglingReference } from "./json-schema-2020.ts";
import { isRecord, walkSchema } from "./walk-schema.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/u;
const MAX_TOOLS = 128;
const NOT_AT_ROOT = ["oneOf", "anyOf", "allOf", "enum", "const", "not"];

/** The message with which OpenAI's chat completions refuse a request's tools; undefined if they accept them. */
export function refusedChatTools(body: unknown): string | undefined {
  return refused(body, (tool) => (isRecord(tool["function"]) ? tool["function"] : {}));
}

/** The same for the Responses API, where strict mode is the default and would make every argument required. */
export function refusedResponsesTools(body: unknown): string | undefined {
  return refused(body, (tool) => tool) ?? strictTool(body);
}

function strictTool(body: unknown): string | undefined {
  const strict = toolsOf(body).find((tool) => tool["strict"] !== false);
  return strict === undefined
    ? undefined
    : `Invalid schema for function '${String(strict["name"])}': 'required' is required to be supplied and to be an array including every key in properties`;
}

function refused(
  body: unknown,
  functionOf: (tool: Record<string, unknown>) => Record<string, unknown>,
): string | undefined {
  const tools = toolsOf(body);
  if (tools.length > MAX_TOOLS) {
    return `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${tools.length} instead.`;
  }
  for (const [index, tool] of tools.entries()) {
    const { name, parameters } = functionOf(tool);
    if (typeof name !== "string" || !NAME.test(name)) {
      return `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    }
    const problem = refusedParameters(parameters);
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}`;
  }
  return undefined;
}

function refusedParameters(parameters: unknown): string | undefined {
  if (!isRecord(parameters)) return "parameters must be an object";
  if (parameters["type"] === undefined) {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
  }
  if (parameters["type"] !== "object" || NOT_AT_ROOT.some((key) => key in parameters)) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level.";
  }
  if (!isRecord(parameters["properties"])) return "In context=(), object schema missing properties.";
  const broken = brokenSchema(parameters);
  if (broken !== undefined) return broken;
  const ref = danglingReference(parameters);
  if (ref !== undefined) return `reference ${ref} not found`;
  for (const { schema, path } of walkSchema(parameters)) {
    const types: readonly unknown[] = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
    if (types.includes("array") && schema["items"] === undefined) {
      return `In context=(${path.map((step) => `'${step}'`).join(", ")}), array schema missing items.`;
    }
  }
  return undefined;
}

function toolsOf(body: unknown): readonly Record<string, unknown>[] {
  return isRecord(body) && Array.isArray(body["tools"]) ? body["tools"].filter(isRecord) : [];
}
