/** A skill: a text of the operator that an agent has from its start, or loads when it needs it. */
export interface Skill {
  readonly name: string;
  /** One line, by which a model decides whether to load it. */
  readonly description: string;
  /** Markdown, Postgres-safe. */
  readonly body: string;
  /** SHA-256 of the body in hex (`text-hash.ts`). */
  readonly hash: string;
}

/** The largest file of a skill, in bytes. */
export const MAX_SKILL_BYTES = 64 * 1_024;
/** The most skills of a configuration, and their bodies together in bytes: each session keeps those that its agents may use. */
export const MAX_SKILLS = 200;
export const MAX_ALL_SKILLS_BYTES = 1_024 * 1_024;
