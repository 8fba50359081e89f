import { isJsonObject, parseJsonInput } from "./action-input/json-input.ts";
import { parseKeyValueInput } from "./action-input/key-value-input.ts";
import { parseYamlInput } from "./action-input/yaml-input.ts";
import { stripFence } from "./code-fence.ts";

/**
 * Turns the raw input of an action into a tool's parameters: JSON, then YAML with structure, then `key: value` pairs,
 * then the text as it is under `input`; an empty input is `{}`, JSON that is no object stands under `input`. Never
 * throws; what comes out is a plain object that JSON can hold, at most 200 levels deep.
 */
export function parseActionInput(raw: string): Record<string, unknown> {
  const text = stripFence(raw.trim());
  if (text === "") return {};
  const json = parseJsonInput(text);
  if (json !== undefined) return isJsonObject(json.value) ? json.value : { input: json.value };
  return parseYamlInput(text) ?? parseKeyValueInput(text) ?? { input: text };
}
