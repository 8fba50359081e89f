import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { Skill } from "#shared/agent-config/skills/skill.ts";
import type { IterationStrategy, ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** The keys of an agent and of each reference to one: a stage's entry, or that of an agent it may dispatch. */
interface SkillKeys {
  readonly skills?: readonly string[];
  readonly required_skills?: readonly string[];
}

/** An agent's skills. */
export interface AgentSkills {
  /** Their bodies are in the system prompt. */
  readonly required: readonly Skill[];
  /** Those that the agent may load; none that it has already. */
  readonly onDemand: readonly Skill[];
}

/**
 * The skills of an agent: without the key `skills` it may load all, else those that it lists; a reference to the agent adds
 * to both lists. Names that are not known are left out: the checks have reported them.
 */
export function resolveSkills(
  { skills }: Pick<AgentConfig, "skills">,
  agent: SkillKeys,
  reference: SkillKeys = {},
): AgentSkills {
  const required = [...new Set([...(agent.required_skills ?? []), ...(reference.required_skills ?? [])])];
  const listed = agent.skills === undefined ? skills.keys() : [...agent.skills, ...(reference.skills ?? [])];
  const onDemand = [...new Set(listed)].filter((name) => !required.includes(name));
  const known = (names: readonly string[]) => names.flatMap((name) => skills.get(name) ?? []);
  return { required: known(required), onDemand: known(onDemand) };
}

/**
 * The stored parts of an agent's skills: names, descriptions and hashes, without what its strategy has no use for. A synthesis has no
 * skills, and a single call can load none.
 */
export function storedSkills(
  { required, onDemand }: AgentSkills,
  strategy: IterationStrategy,
): Pick<ResolvedAgent, "skills" | "required_skills"> {
  const isSynthesis = strategy === "synthesis" || strategy === "synthesis-native-thinking";
  const isLoop = strategy === "react" || strategy === "native-thinking";
  return {
    ...(isLoop && onDemand.length > 0
      ? { skills: onDemand.map(({ name, description, hash }) => ({ name, description, hash })) }
      : {}),
    ...(!isSynthesis && required.length > 0
      ? { required_skills: required.map(({ name, hash }) => ({ name, hash })) }
      : {}),
  };
}
