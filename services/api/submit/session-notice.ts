import { stubbedAgents } from "#shared/agent-config/stubbed-agents.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/**
 * What readers of an investigation must know about its truth: a script answers instead of an LLM, or tools of the servers in `stubs`
 * invent results that an LLM takes for true. Null if nothing.
 */
export function sessionNotice({ stages }: ResolvedChain, stubs: ReadonlySet<string>): string | null {
  const agents = stages.flatMap((stage) => stage.agents);
  const scripted = agents.find(({ llm_provider }) => llm_provider.type === "scripted")?.llm_provider;
  const servers = [...new Set(stubbedAgents(agents, stubs).flatMap((found) => found.servers))];
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
  ];
  return notices.length === 0 ? null : notices.join("; ");
}
