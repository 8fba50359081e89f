import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { timelineOf, type ExecutionRun } from "../../core/execution-run.ts";
import type { Feature } from "../../core/feature.ts";
import type { LoadedSkill } from "../../prompts/skill-sections.ts";
import { loadTexts, loadSkills } from "./load-skills.ts";

/** Gives agents the skills that they have from their start. */
export const SKILLS = {
  load: async ({ session, agent, isOpening }) =>
    isOpening ? { skills: await loadRequiredSkills(session.db, agent) } : {},
  opening: addLoadedSkills,
  tools: {
    load_skill: async ({ session, state }, { parameters }) =>
      loadSkills(session.db, state.agent.skills ?? [], parameters),
  },
} satisfies Feature;

/** Reads the texts of the skills that an agent has from its start. Throws TerminalError `not_found` if one is missing. */
async function loadRequiredSkills(
  db: Queryable,
  { required_skills: required = [] }: Pick<ResolvedAgent, "required_skills">,
): Promise<LoadedSkill[]> {
  const texts = await loadTexts(db, [...new Set(required.map(({ hash }) => hash))]);
  return required.map(({ name, hash }) => ({ name, body: texts.get(hash) ?? "" }));
}

/** Adds a timeline row for each skill that the first messages have; it is committed with them. */
function addLoadedSkills(run: ExecutionRun): void {
  const { state, steps } = run;
  if (state.skills.length === 0) return;
  const timeline = timelineOf(run, state.iteration.iteration);
  for (const { name, body } of state.skills) {
    timeline.add({
      key: `skill:${name}`,
      type: "skill_loaded",
      content: body,
      metadata: { skill_name: name },
      interactionId: null,
    });
  }
  steps.add(timeline.record());
}
