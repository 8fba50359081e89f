import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { LoadedSkill } from "../../prompts/skill-sections.ts";
import { loadTexts } from "../../state/load-texts.ts";

/** Reads the texts of the skills that an agent has from its start. Throws TerminalError `not_found` if one is missing. */
export async function loadRequiredSkills(
  { db }: { readonly db: Queryable },
  { required_skills: required = [] }: Pick<ResolvedAgent, "required_skills">,
): Promise<LoadedSkill[]> {
  const texts = await loadTexts(db, [...new Set(required.map(({ hash }) => hash))]);
  return required.map(({ name, hash }) => ({ name, body: texts.get(hash) ?? "" }));
}
