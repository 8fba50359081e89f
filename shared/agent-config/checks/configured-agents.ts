import { SYNTHESIS_AGENT } from "#shared/agent-config/built-in-config.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import type { SubAgentEntry } from "#shared/agent-config/schemas/sub-agents.ts";
import type { AgentEntry, ChainEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

type Stage = Loose<StageEntry>;

/** An agent of a stage, or the stage's synthesis. */
interface ConfiguredAgent {
  readonly chain: Loose<ChainEntry>;
  readonly stage: Stage;
  /** Where the chain names the agent; undefined where it does not. */
  readonly block: NonNullable<Stage["agents"]>[number] | Stage["synthesis"];
  readonly isSynthesis: boolean;
  readonly name: string;
  readonly definition: Loose<AgentEntry> | undefined;
}

/** All agents of all chains; a stage with several agents has a synthesis, too. */
export function configuredAgents({ chains, agents }: CheckContext): readonly ConfiguredAgent[] {
  return [...chains.values()].flatMap((chain) =>
    (chain.stages ?? []).flatMap((stage) => {
      if (stage === undefined) return [];
      const { agents: entries = [], replicas = 1, synthesis } = stage;
      const members = entries.map((block) => ({ block, isSynthesis: false, name: block?.name ?? "" }));
      const name = synthesis?.agent ?? SYNTHESIS_AGENT;
      const all =
        entries.length * replicas > 1 ? [...members, { block: synthesis, isSynthesis: true, name }] : members;
      return all.map((member) => ({ chain, stage, ...member, definition: agents.get(member.name) }));
    }),
  );
}

/** The entries of all lists of sub-agents in a chain. */
export function subAgentEntries({
  sub_agents,
  chat,
  stages = [],
}: Loose<ChainEntry>): Loose<SubAgentEntry>[] {
  const ofStages = stages.flatMap((stage) => [
    stage?.sub_agents,
    ...(stage?.agents ?? []).map((agent) => agent?.sub_agents),
  ]);
  return [sub_agents, chat?.sub_agents, ...ofStages].flatMap((list) =>
    (list ?? []).filter((entry) => entry !== undefined),
  );
}
