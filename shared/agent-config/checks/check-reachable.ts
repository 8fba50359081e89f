import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { reachProviders } from "#shared/agent-config/checks/reach-providers.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";

/**
 * Checks what a chain needs to run: a provider for each of its agents, and that provider's key, other
 * variables and script. Providers no chain can reach need none of it. Returns the built-in chains to leave
 * out: they have no provider, and the chains that were written can do without.
 */
export function checkReachable(context: CheckContext): string[] {
  const { providers, chainsWithout } = reachProviders(context);
  for (const [name, { chainIds, reference }] of providers) {
    const provider = context.llmProviders.get(name);
    if (provider !== undefined) checkUsable(provider, name, [...chainIds], reference, context);
  }
  return checkProviderless(chainsWithout, context);
}

function checkProviderless(chainIds: readonly string[], context: CheckContext): string[] {
  const { chains, reporter, tarsy } = context;
  const isWritten = (id: string) => {
    const chain = chains.get(id);
    return chain !== undefined && reporter.sources.has(chain);
  };
  const target = {
    container: tarsy.defaults ?? tarsy,
    key: "llm_provider",
    path: "defaults.llm_provider",
  };
  const written = chainIds.filter(isWritten);
  const builtIn = chainIds.filter((id) => !isWritten(id));
  const canDoWithout = written.length === 0 && [...chains.keys()].some(isWritten);
  if (canDoWithout && builtIn.length > 0) {
    const rule = `is not set, so the built-in ${chainList(builtIn)} has no LLM provider and is left out`;
    reporter.warn(target, rule, "set defaults.llm_provider to use it");
    return builtIn;
  }
  if (chainIds.length > 0) {
    const users = chainList(written.length > 0 ? written : builtIn);
    reporter.error(target, "is required", `${users} can reach no LLM provider without it`);
  }
  return [];
}

function checkUsable(
  provider: Loose<LlmProviderEntry>,
  name: string,
  chainIds: readonly string[],
  reference: Target,
  context: CheckContext,
): void {
  const { reporter, env, configDir } = context;
  const users = chainList(chainIds);
  const isWritten = reporter.sources.has(provider);
  for (const key of ["api_key_env", "credentials_env", "project_env", "location_env"] as const) {
    const variable = provider[key];
    if (provider.type === "scripted" || variable === undefined || (env[variable] ?? "") !== "") continue;
    const rule = isWritten ? "must name a variable that is set" : `needs ${variable} to be set`;
    const hint = `set ${variable} in the environment or in ${join(configDir, ".env")}: ${users} can use ${name}`;
    reporter.error(isWritten ? { container: provider, key } : reference, rule, hint);
  }
  if (!isWritten || provider.type === undefined) return;
  if (provider.type === "scripted") checkScript(provider, context);
  const keyless =
    provider.type === "vertexai" || provider.type === "scripted" || provider.base_url !== undefined;
  if (!keyless && provider.api_key_env === undefined && !reporter.sources.hasChild(provider, "api_key_env")) {
    const rule = `is required for provider type ${provider.type} without base_url`;
    reporter.error({ container: provider, key: "api_key_env" }, rule, `${users} can use the provider`);
  }
}

function checkScript(provider: Loose<LlmProviderEntry>, { configDir, reporter }: CheckContext): void {
  const { script } = provider;
  if (script === undefined) return;
  const found = findScript(configDir, script);
  if (found === "file") return;
  reporter.error(
    { container: provider, key: "script" },
    "must be a file below the configuration directory",
    found === "outside" ? "that path leads out of it" : `there is no ${join(configDir, script)}`,
  );
}

/** Follows symbolic links, as the gateway does when it reads the script. */
function findScript(configDir: string, script: string): "file" | "missing" | "outside" {
  if (isAbsolute(script)) return "outside";
  try {
    const root = realpathSync(configDir);
    const file = realpathSync(join(root, script));
    const way = relative(root, file);
    if (way === ".." || way.startsWith(`..${sep}`)) return "outside";
    return statSync(file).isFile() ? "file" : "missing";
  } catch {
    // Not there, not readable, or no path at all (a NUL): in each case there is no such file for us.
    return "missing";
  }
}

function chainList(ids: readonly string[]): string {
  return `${ids.length === 1 ? "chain" : "chains"} ${ids.join(", ")}`;
}
