import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { checkPackedServer } from "#shared/agent-config/checks/check-packs.ts";
import { completeServer } from "#shared/agent-config/complete-server.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { acceptedDefinitions, packNames, readPacks } from "#shared/agent-config/read-packs.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { PackedServer } from "./inspect-server.ts";

/**
 * The servers with a pack of a configuration directory, with the values of `env`. Providers and agents are not checked: a key may be
 * missing here. Throws AgentConfigError with every mistake of tarsy.yaml, accepted-tools.yaml and the packs.
 */
export async function packedServers(configDir: string, env: Environment): Promise<PackedServer[]> {
  const reporter = new Reporter(env);
  const tarsy = await readCheckedFile(configDir, "tarsy.yaml", TarsyFile, reporter, env);
  const { packs, accepted } = await readPacks(configDir, tarsy?.value, reporter, env);
  const servers = Object.entries(tarsy?.valid === true ? (tarsy.value.mcp_servers ?? {}) : {}).filter(
    ([, { pack }]) => pack !== undefined,
  );
  for (const [, server] of servers) {
    reporter.unknownName({ container: server, key: "pack" }, "pack", server.pack, packNames(configDir));
    checkPackedServer(server, { reporter, packs });
  }
  const errors = reporter.errors();
  if (errors.length > 0) throw new AgentConfigError(errors);
  return servers.flatMap(([id, server]) => {
    const pack = packs.get(server.pack ?? "");
    if (pack === undefined) return [];
    const entry = completeServer(server, packs, env);
    return [{ id, pack, entry, definitions: acceptedDefinitions(pack, accepted[id]) }];
  });
}
