import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseDocument, type Document } from "yaml";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { isSet } from "#shared/agent-config/found/find-keys.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import type { Environment } from "#shared/service/environment.ts";
import { effectiveText, type Replaced } from "./effective-text.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import { connectCluster } from "./packs/connect-cluster.ts";
import type { ProjectPaths } from "./project-paths.ts";

interface Prepare {
  readonly paths: ProjectPaths;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** The server of the built-in agents. `deploy/config` has one with example files under this name. */
const SERVER = "kubernetes-server";
/** Holds credentials: linked, so that there is one copy of them. The processes get those of `.env` as variables. */
const TOOL_RUNNER_ENV = "tool-runner.env";
const SKIPPED = /^(?:\.env|tool-runner\.env|tarsy\.yaml|local-model|.*\.example)$/u;

/**
 * Writes, for `deploy/config`, which a key has selected, the configuration in force to `.tarsy/config`. It is the directory as written,
 * with the provider whose key is set where the named one has none, and with the cluster of the kubeconfig instead of the example files
 * if that answers. Another directory is returned as it is. Throws errors of the file system, and the signal's reason.
 */
export async function prepareConfiguration(
  chosen: ConfigDirectory,
  prepare: Prepare,
): Promise<ConfigDirectory> {
  const { key, path: source } = chosen;
  if (key === undefined) return chosen;
  const target = prepare.paths.config;
  const { env: variables, tools } = await connectTools(chosen, prepare);
  const replaced = {
    provider: isDefaultUsable(chosen) ? undefined : key.provider,
    server: variables["KUBECONFIG"] === undefined ? undefined : SERVER,
  };
  const write = () => writeDirectory(source, target, replaced);
  write();
  const env = { ...chosen.env, ...variables, CONFIG_DIR: target };
  return { ...chosen, path: target, env, source, write, ...(tools === undefined ? {} : { tools }) };
}

/** The variables of the cluster if that is connected, and in words what the agents' tools look at. */
interface Tools {
  readonly env: Environment;
  readonly tools?: string;
}

async function connectTools(
  { path, env }: ConfigDirectory,
  { paths, signal, progress }: Prepare,
): Promise<Tools> {
  const hasExample = readYaml(join(path, "tarsy.yaml")).hasIn(["mcp_servers", SERVER, "example"]);
  // The operator has connected something else.
  if (!hasExample) return { env: {} };
  const found = await connectCluster({ directory: paths.packs, env, signal, progress });
  if (found.kubeconfig === undefined) {
    const how = "connect yours: KUBECONFIG=/path/to/kubeconfig npm start";
    return { env: {}, tools: `example files, not your systems: ${found.problem}; ${how}` };
  }
  const { context, path: kubeconfig } = found.kubeconfig;
  return { env: { KUBECONFIG: kubeconfig }, tools: `the cluster of ${context} in ${kubeconfig}, read-only` };
}

/** False if tarsy.yaml names a default provider whose key is not set. */
function isDefaultUsable({ path, env }: ConfigDirectory): boolean {
  const named = readYaml(join(path, "tarsy.yaml")).getIn(["defaults", "llm_provider"]);
  if (typeof named !== "string") return true;
  const providers = readYaml(join(path, "llm-providers.yaml"));
  const written = providers.getIn(["llm_providers", named, "api_key_env"]);
  const builtIn = builtInConfig().llmProviders.get(named);
  const variable = typeof written === "string" ? written : builtIn && keyVariable(builtIn);
  return variable === undefined || isSet(env, variable);
}

function readYaml(path: string): Document {
  return parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "");
}

function writeDirectory(source: string, target: string, replaced: Replaced): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(source, target, {
    recursive: true,
    dereference: true,
    filter: (path) => join(source, basename(path)) !== path || !SKIPPED.test(basename(path)),
  });
  const [credentials, tarsy] = [join(source, TOOL_RUNNER_ENV), join(source, "tarsy.yaml")];
  if (existsSync(credentials)) symlinkSync(credentials, join(target, TOOL_RUNNER_ENV));
  if (!existsSync(tarsy)) return;
  writeFileSync(join(target, "tarsy.yaml"), effectiveText(readFileSync(tarsy, "utf8"), replaced));
}
