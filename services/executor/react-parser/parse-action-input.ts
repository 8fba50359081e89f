import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { isJsonObject, parseJsonInput } from "./action-input/json-input.ts";
import { parseKeyValueInput } from "./action-input/key-value-input.ts";
import { parseYamlInput } from "./action-input/yaml-input.ts";
import { stripFence } from "./code-fence.ts";

/**
 * Parses the raw input of an action into a tool's parameters. Tries JSON, then nested YAML, then `key: value` pairs;
 * any other text becomes the value of `input`, as does JSON that is not an object. An empty input is `{}`.
 * Returns a plain object that jsonb can represent, at most 200 levels deep: an escape sequence may stand for a character
 * that Postgres refuses, which becomes U+FFFD. Never throws.
 */
export function parseActionInput(raw: string): Record<string, unknown> {
  const safe = postgresSafeValue(parse(raw));
  return isJsonObject(safe) ? safe : {};
}

function parse(raw: string): Record<string, unknown> {
  const text = stripFence(raw.trim());
  if (text === "") return {};
  const json = parseJsonInput(text);
  if (json !== undefined) return isJsonObject(json.value) ? json.value : { input: json.value };
  return parseYamlInput(text) ?? parseKeyValueInput(text) ?? { input: text };
}
