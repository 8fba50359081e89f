import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** A skill with its text. */
export interface LoadedSkill {
  readonly name: string;
  readonly body: string;
}

/**
 * The parts of a system prompt about skills: the texts that the agent always has, then the catalog of those that it may load.
 * Skills are the operator's own texts, so they are not framed as data.
 */
export function skillSections(
  loaded: readonly LoadedSkill[],
  catalog: NonNullable<ResolvedAgent["skills"]>,
): string[] {
  return [...loaded.map(skillText), ...(catalog.length === 0 ? [] : [catalogSection(catalog)])];
}

/** A skill as the model reads it. */
export function skillText({ name, body }: LoadedSkill): string {
  return `## Skill: ${name}\n\n${body}`;
}

function catalogSection(catalog: NonNullable<ResolvedAgent["skills"]>): string {
  const lines = catalog.map(({ name, description }) => `- **${name}**: ${description}`);
  return `## Available Skills

Skills are instructions for special tasks. Before you begin, compare the task with the descriptions below and load each skill that fits with the tool \`load_skill\`; several names fit in one call. Load no skill twice, and none that does not fit.

${lines.join("\n")}`;
}
