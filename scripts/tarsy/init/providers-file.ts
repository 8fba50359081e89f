import type { Found } from "./found.ts";
import { chosenProvider } from "./found.ts";
import { yamlText } from "./yaml-text.ts";

/** The text of llm-providers.yaml: an entry for each key and for each model server that was found. */
export function providersFile(found: Found, schemaUrl: string): string {
  const keys = found.keys.map(
    ({
      provider,
      variable,
      entry: { type, model, project_env, location_env, max_tool_result_tokens: tokens },
    }) => `
  # The key is the value of ${variable}; it is never written here.
  ${provider}:
    type: ${type}
    model: ${yamlText(model ?? "")}
${type === "vertexai" ? `    project_env: ${project_env}\n    location_env: ${location_env}` : `    api_key_env: ${variable}`}
    max_tool_result_tokens: ${tokens ?? 100_000}
`,
  );
  const models = found.models.map(
    ({ name, url, model, models: count }, index) => `
  # ${name} on this machine; it lists ${count === 1 ? "one model" : `${count} models`}.
  ${index === 0 ? "local" : `local-${index + 1}`}:
    type: openai
    model: ${yamlText(model)}
    base_url: ${yamlText(url)}
    max_tool_result_tokens: 8000
    # A small model that rambles on is stopped.
    max_output_tokens: 2048
    # Without a GPU, the prompt alone may take minutes.
    timeouts:
      call: 30m
`,
  );
  return `# yaml-language-server: $schema=${schemaUrl}
# The LLM providers by name. tarsy.yaml uses ${chosenProvider(found) ?? "none"}: defaults.llm_provider.
# An entry replaces the built-in of the same name whole. docs/providers.md has all types and keys.

llm_providers:${[...keys, ...models].join("")}`;
}
