import type { Environment } from "#shared/service/environment.ts";
import type { Reporter, Target } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import {
  replicasOf,
  type AgentEntry,
  type ChainEntry,
  type TarsyFile,
  type StageEntry,
  type WrittenServer,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import { isTemplate } from "#shared/contracts/text-template.ts";
import { SYNTHESIS_AGENT } from "#shared/agent-config/built-in-config.ts";
import type { SubAgentEntry } from "#shared/agent-config/schemas/sub-agents.ts";

/** The input of the checks across entries: everything valid so far, merged over the built-ins. */
export interface CheckContext {
  readonly configDir: string;
  readonly env: Environment;
  readonly reporter: Reporter;
  /** The time by which models count as retired. */
  readonly now: Date;
  readonly tarsy: Loose<TarsyFile>;
  /** The names that references may use, those of invalid entries included; undefined where they are unknown. */
  readonly names: {
    readonly agents: ReadonlySet<string> | undefined;
    readonly mcpServers: ReadonlySet<string> | undefined;
    readonly llmProviders: ReadonlySet<string> | undefined;
    readonly skills: ReadonlySet<string> | undefined;
  };
  readonly agents: ReadonlyMap<string, Loose<AgentEntry>>;
  readonly chains: ReadonlyMap<string, Loose<ChainEntry>>;
  readonly mcpServers: ReadonlyMap<string, Loose<WrittenServer>>;
  /** The packs that servers name, by name, without those that cannot be read. */
  readonly packs: ReadonlyMap<string, PackFile>;
  readonly llmProviders: ReadonlyMap<string, Loose<LlmProviderEntry>>;
  /** The default provider of a file that names none; undefined if no key is set. */
  readonly providerByKey: string | undefined;
}

/** An error if a required key is not written; a key with an invalid value has been reported already. */
export function requireKey(container: object, key: string, rule: string, reporter: Reporter): void {
  if (!reporter.sources.hasChild(container, key)) reporter.error({ container, key }, rule);
}

/** An error if the value is set but no URL that an HTTP client can use. */
export function checkUrl(container: object, key: string, url: string | undefined, reporter: Reporter): void {
  if (url === undefined || isTemplate(url)) return; // a template is checked where its values are inserted
  const parsed = URL.parse(url);
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return;
  reporter.error({ container, key }, "must be an http or https URL");
}

/** A warning for a key that is part of the format and not implemented yet. */
export function warnNoEffectYet(target: Target, reason: string, reporter: Reporter): void {
  reporter.warn(target, "has no effect yet", reason);
}

type StageInFile = Loose<StageEntry>;

/** An agent of a stage, or the stage's synthesis. */
interface AgentInChain {
  readonly chain: Loose<ChainEntry>;
  readonly stage: StageInFile;
  /** The block in which the chain names the agent; undefined where it does not. */
  readonly block: NonNullable<StageInFile["agents"]>[number] | StageInFile["synthesis"];
  readonly isSynthesis: boolean;
  readonly name: string;
  readonly definition: Loose<AgentEntry> | undefined;
}

/** All agents of all chains; a stage with several agents has a synthesis, too. */
export function configuredAgents({ chains, agents }: CheckContext): readonly AgentInChain[] {
  return [...chains.values()].flatMap((chain) =>
    (chain.stages ?? []).flatMap((stage) => {
      if (stage === undefined) return [];
      const { agents: entries = [], synthesis } = stage;
      const members = entries.map((block) => ({ block, isSynthesis: false, name: block?.name ?? "" }));
      const name = synthesis?.agent ?? SYNTHESIS_AGENT;
      const all =
        entries.length * replicasOf(stage).max > 1
          ? [...members, { block: synthesis, isSynthesis: true, name }]
          : members;
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
