import { brokenSchema, danglingReference } from "./json-schema-2020.ts";
import { isRecord } from "./walk-schema.ts";

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/u;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/u;

/** The message with which Anthropic's API refuses a request's tools; undefined if it accepts them. */
export function refusedAnthropicTools(body: unknown): string | undefined {
  const tools = isRecord(body) && Array.isArray(body["tools"]) ? body["tools"] : [];
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tools.${index}.custom`;
    if (!isRecord(tool)) return `${at}: Input should be an object`;
    const { name, input_schema: schema } = tool;
    if (typeof name !== "string" || !NAME.test(name)) {
      return `${at}.name: String should match pattern '${NAME.source}'`;
    }
    if (names.has(name)) return "tools: Tool names must be unique.";
    names.add(name);
    if (!isRecord(schema)) return `${at}.input_schema: Input should be an object`;
    if (schema["type"] !== "object") return `${at}.input_schema.type: Field required`;
    if (["oneOf", "allOf", "anyOf"].some((key) => key in schema)) {
      return `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
    const properties = isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    if (!properties.every((key) => KEY.test(key))) {
      return `${at}.input_schema.properties: Property keys should match pattern '${KEY.source}'`;
    }
    if (brokenSchema(schema) !== undefined || danglingReference(schema) !== undefined) {
      return `${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
    }
  }
  return undefined;
}
