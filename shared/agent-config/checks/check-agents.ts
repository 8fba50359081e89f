import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkServers } from "#shared/agent-config/checks/check-chains.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkSkills } from "#shared/agent-config/checks/check-skills.ts";
import { warnNoEffectYet } from "#shared/agent-config/checks/check-keys.ts";
import { NATIVE_TOOLS } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { AgentEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";

/** Types whose agents nothing runs yet. */
const NOT_RUN: Readonly<Record<string, string>> = {
  exec_summary: "executive summaries have no agent of their own",
};

/** Checks a written agent: its servers, its skills, its native tools and its type. */
export function checkAgent(agent: Loose<AgentEntry>, context: CheckContext): void {
  const { reporter } = context;
  checkServers(agent.mcp_servers, context);
  checkSkills(agent, context);
  const reason = NOT_RUN[agent.type ?? ""];
  if (reason !== undefined) warnNoEffectYet({ container: agent, key: "type" }, reason, reporter);
  const { native_tools: tools } = agent;
  if (tools === undefined) return;
  for (const name of Object.keys(tools)) {
    if (NATIVE_TOOLS.some((tool) => tool === name)) continue;
    const hint = suggestName(name, NATIVE_TOOLS);
    reporter.error({ container: tools, key: name }, "must be a known native tool", hint);
  }
}
