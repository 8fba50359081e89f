import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findScript } from "#shared/agent-config/scripts/find-script.ts";
import type { ResolvedChain, ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { secretVariable } from "#shared/service/environment.ts";
import type { Configuration } from "../engine/configurations.ts";

/** What a chain's runs depend on beside the chain: the values of its variables, and what scripted models play. */
export async function insertedValues(
  { path, env }: Configuration,
  { variables = [] }: Pick<ResolvedChain, "variables">,
  providers: readonly Pick<ResolvedProvider, "script">[],
): Promise<Readonly<Record<string, string>>> {
  const values = variables.map((name): [string, string] => [`variable ${name}`, secretVariable(env, name)]);
  const scripts = [...new Set(providers.flatMap(({ script }) => script ?? []))];
  const played = scripts.map(async (script): Promise<[string, string]> => {
    const isFile = findScript(path, script) === "file";
    return [`script ${script}`, isFile ? await readFile(join(path, script), "utf8") : ""];
  });
  return Object.fromEntries([...values, ...(await Promise.all(played))]);
}
