import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { AgentSettings } from "#shared/agent-config/resolve-agent-settings.ts";
import type { ChainEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { ResolvedAgent, ResolvedStage } from "#shared/contracts/resolved-chain.ts";

/** The mark of agents whose results this one can quote. */
export function quotedBy({ conclusion }: Pick<ResolvedAgent, "conclusion">): Pick<ResolvedAgent, "quoted"> {
  return conclusion === undefined ? {} : { quoted: true };
}

/** Marks the agents of the stages before one that states a conclusion. */
export function withQuotedStages(stages: readonly ResolvedStage[]): ResolvedStage[] {
  const last = stages.findLastIndex(({ agents }) => agents.some((agent) => agent.conclusion !== undefined));
  const quoted = (agent: ResolvedAgent): ResolvedAgent => ({
    ...agent,
    quoted: true,
    ...(agent.sub_agents === undefined
      ? {}
      : { sub_agents: agent.sub_agents.map((child) => ({ ...child, quoted: true as const })) }),
  });
  return stages.map((stage, index) => {
    if (index >= last) return stage;
    const { agents, synthesis } = stage;
    return {
      ...stage,
      agents: agents.map(quoted),
      ...(synthesis === undefined ? {} : { synthesis: quoted(synthesis) }),
    };
  });
}

/** True for an agent that states its conclusion. What a chain or the defaults ask for, the last stage does that investigates. */
export function concludes(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  { conclusion, isAction }: AgentSettings,
): boolean {
  if (conclusion.value === "none" || isAction) return false;
  if (conclusion.from !== "chain" && conclusion.from !== "defaults") return true;
  const investigates = ({ agents }: StageEntry) =>
    agents.some(({ name, type }) => (type || config.agents.get(name)?.type) !== "action");
  return stage === chain.stages.findLast(investigates);
}
