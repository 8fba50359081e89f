import { stubbedAgents, serversOf } from "#shared/agent-config/used-servers.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { ApiConfig } from "../config.ts";

/**
 * What readers of an investigation must know about its truth: a script answers instead of an LLM, tools of stubbed servers invent
 * results that an LLM takes for true, or tools answer from examples. Null if nothing.
 */
export function sessionNotice(
  { stages }: ResolvedChain,
  { agents: { mcpServers }, stubbedServers: stubs }: Pick<ApiConfig, "agents" | "stubbedServers">,
): string | null {
  const agents = stages.flatMap((stage) => stage.agents);
  const scripted = agents.find(({ llm_provider }) => llm_provider.type === "scripted")?.llm_provider;
  const servers = [...new Set(stubbedAgents(agents, stubs).flatMap((found) => found.servers))];
  const examples = new Set(agents.flatMap(serversOf).map((id) => mcpServers.get(id)?.example));
  const notices = [
    ...(scripted === undefined
      ? []
      : [
          `answered by a scripted demo model (provider '${scripted.name}'), not by an LLM: its texts are those of a script`,
        ]),
    ...(servers.length === 0
      ? []
      : [
          `an LLM reads invented results: stub-tools.yaml answers instead of ${servers.length === 1 ? "MCP server" : "MCP servers"} ${servers.join(", ")}`,
        ]),
    ...[...examples].filter((example) => example !== undefined),
  ];
  return notices.length === 0 ? null : notices.join("; ");
}
