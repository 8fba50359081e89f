import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Found, chosenProvider } from "./found.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { tarsyFile } from "./tarsy-file.ts";
import { yamlText } from "./yaml-text.ts";

/** Throws an Error if the directory has one of the files that are written. */
export function refuseExisting(directory: string): void {
  const existing = ["tarsy.yaml", "llm-providers.yaml"].filter((name) => existsSync(join(directory, name)));
  if (existing.length === 0) return;
  throw new Error(
    `${directory} has ${existing.join(" and ")} already: name another directory with --dir, or replace ${existing.length === 1 ? "it" : "them"} with --force`,
  );
}

const CONFIG = join(PROJECT_ROOT, "deploy", "config");

interface WriteConfiguration {
  readonly directory: string;
  readonly found: Found;
  /** Replaces tarsy.yaml and llm-providers.yaml. */
  readonly force: boolean;
}

/**
 * Writes tarsy.yaml, llm-providers.yaml and, if there is none, a .env that only its owner can read. Returns their names. Throws an Error,
 * before anything is written, if one of the first two exists and `force` is false.
 */
export async function writeConfiguration({
  directory,
  found,
  force,
}: WriteConfiguration): Promise<readonly string[]> {
  const files = [
    ["tarsy.yaml", tarsyFile(found, join(CONFIG, "tarsy.schema.json"))],
    ["llm-providers.yaml", providersFile(found, join(CONFIG, "llm-providers.schema.json"))],
  ] as const;
  if (!force) refuseExisting(directory);
  await mkdir(directory, { recursive: true });
  for (const [name, text] of files) {
    await writeFile(join(directory, name), text, { flag: force ? "w" : "wx" });
  }
  const env = join(directory, ".env");
  // It may hold keys, which nothing may delete.
  if (existsSync(env)) return files.map(([name]) => name);
  await writeFile(env, envFile(found), { flag: "wx", mode: 0o600 });
  return [...files.map(([name]) => name), ".env"];
}

function envFile({ keys }: Found): string {
  const lines = keys.map(({ variable }) => `#${variable}=\n`);
  return `# Variables of this configuration; the environment takes precedence. deploy/config/.env.example has all.
${lines.length === 0 ? "" : `# Set in the environment when this file was written. A start from another shell or by a service manager needs them here:\n${lines.join("")}`}`;
}

/** The text of llm-providers.yaml: an entry for each key and for each model server that was found. */
function providersFile(found: Found, schemaUrl: string): string {
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
