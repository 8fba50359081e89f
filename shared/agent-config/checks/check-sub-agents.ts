import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { describeAgent } from "#shared/agent-config/built-in-config.ts";
import { checkSkills } from "#shared/agent-config/checks/check-skills.ts";
import type { SubAgentEntry } from "#shared/agent-config/schemas/sub-agents.ts";

/**
 * Checks a list of sub-agents: each is a known agent with a description, by which another agent chooses it, and is listed once;
 * its provider, servers and skills are known.
 */
export function checkSubAgents(
  list: readonly (Loose<SubAgentEntry> | undefined)[] | undefined,
  context: CheckContext,
  checkServers: (servers: (string | undefined)[] | undefined, context: CheckContext) => void,
): void {
  const { reporter, names, agents } = context;
  const seen = new Set<string>();
  for (const entry of list ?? []) {
    if (entry === undefined) continue;
    const { name } = entry;
    const target = { container: entry, key: "name" };
    reporter.unknownName(target, "agent", name, names.agents);
    const agent = agents.get(name ?? "");
    if (agent !== undefined && describeAgent(name ?? "", agent) === "") {
      reporter.error(target, "must be an agent with a description, by which others choose it");
    }
    if (name !== undefined && seen.has(name)) reporter.error(target, "must be listed once");
    if (name !== undefined) seen.add(name);
    const provider = { container: entry, key: "llm_provider" };
    reporter.unknownName(provider, "LLM provider", entry.llm_provider, names.llmProviders);
    checkServers(entry.mcp_servers, context);
    checkSkills(entry, context);
  }
}
