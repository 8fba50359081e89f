import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { Environment } from "#shared/service/environment.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";

/** A provider without a key; `s.yaml` exists in every test directory. */
export const SCRIPTED = "llm_providers:\n  test: {type: scripted, script: s.yaml}\n";

/** A defaults section that gives every chain a provider. */
export const DEFAULTS = "defaults:\n  llm_provider: test\n";

/** Writes the files to a temporary directory, which is removed at the end of the scope. */
export async function writeConfigFiles(files: Readonly<Record<string, string | Uint8Array>>) {
  const path = await mkdtemp(join(tmpdir(), "tarsy-config-"));
  for (const [name, content] of Object.entries({ "s.yaml": "", ...files })) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A file of a skill. */
export function skillFile(
  name: string,
  body = `Do as ${name} says.`,
  description = `What ${name} is for.`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}

/** The time at which all these configurations are loaded: the warnings of retiring models depend on it. */
export const NOW = new Date("2026-11-26T12:00:00Z");

/** Loads the two files, and others, from a temporary directory. */
export async function loadText(
  tarsy: string,
  providers = SCRIPTED,
  env: Environment = {},
  others: Readonly<Record<string, string>> = {},
  now = NOW,
): Promise<AgentConfig> {
  await using directory = await writeConfigFiles({
    "tarsy.yaml": tarsy,
    "llm-providers.yaml": providers,
    ...others,
  });
  return await loadAgentConfig({ configDir: directory.path, env, now });
}

/** The error of a load that must fail. */
export async function failureOf(load: Promise<AgentConfig>): Promise<AgentConfigError> {
  try {
    await load;
  } catch (error) {
    if (error instanceof AgentConfigError) return error;
    throw error;
  }
  throw new Error("the configuration was loaded despite its mistakes");
}
