import { serversOf } from "#shared/agent-config/used-servers.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** An agent whose model is a real one, and the servers of it whose tools are stubs: it reads invented results as true. */
interface StubbedAgent {
  readonly agent: string;
  readonly provider: string;
  readonly servers: readonly string[];
}

/** Those of `agents` that let a real model call tools of the servers in `stubs`. */
export function stubbedAgents(
  agents: readonly ResolvedAgent[],
  stubs: ReadonlySet<string>,
): readonly StubbedAgent[] {
  return agents.flatMap((agent) => {
    const { name, llm_provider: own, fallback_providers: others = [] } = agent;
    const real = [own, ...others].find(({ type }) => type !== "scripted");
    const servers = serversOf(agent).filter((server) => stubs.has(server));
    return real === undefined || servers.length === 0 ? [] : [{ agent: name, provider: real.name, servers }];
  });
}
