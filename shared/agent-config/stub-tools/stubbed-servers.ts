import { Reporter } from "#shared/agent-config/reporter.ts";
import { readStubTools } from "#shared/agent-config/stub-tools/read-stub-tools.ts";
import type { Environment } from "#shared/service/environment.ts";

/**
 * The ids of the MCP servers whose place stub-tools.yaml takes. None if the file has mistakes: the tool-runner, which serves the
 * stubs, reports them and does not start.
 */
export async function stubbedServers(configDir: string, env: Environment): Promise<ReadonlySet<string>> {
  const { servers = {} } = (await readStubTools(configDir, env, new Reporter(env))) ?? {};
  return new Set(Object.keys(servers).filter((id) => Object.keys(servers[id] ?? {}).length > 0));
}
