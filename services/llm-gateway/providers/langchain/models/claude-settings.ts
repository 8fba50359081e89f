/** How one of Anthropic's models is asked: the longest answer in tokens, and how it thinks, where it can. */
export interface ClaudeSettings {
  readonly maxTokens: number;
  readonly thinking:
    | { readonly type: "enabled"; readonly budget_tokens: number }
    | { readonly type: "adaptive"; readonly display: "summarized" }
    | undefined;
}

/** Opus 4, the smallest of those that think, allows no longer answer. */
const THINKER_MAX_TOKENS = 32_000;
const THINKING_BUDGET = 16_000;

/**
 * What suits a model, by its name. The 3.7 to 4.5 families think within a budget, later ones as they see fit, and
 * show a summary only when asked; older ones, and models of others behind Anthropic's API, are not asked to think.
 */
export function claudeSettings(model: string): ClaudeSettings {
  const name = model.toLowerCase();
  const { major, minor } =
    /claude-(?:[a-z]+-)?(?<major>\d{1,2})(?:[.-](?<minor>\d{1,2})(?!\d))?(?!\d)/u.exec(name)?.groups ?? {};
  if (major === undefined) return { maxTokens: 8_192, thinking: undefined };
  const version = Number(major) * 100 + Number(minor ?? 0);
  if (version < 305) return { maxTokens: 4_096, thinking: undefined };
  if (version < 307) return { maxTokens: 8_192, thinking: undefined };
  return version < 406
    ? { maxTokens: THINKER_MAX_TOKENS, thinking: { type: "enabled", budget_tokens: THINKING_BUDGET } }
    : { maxTokens: THINKER_MAX_TOKENS, thinking: { type: "adaptive", display: "summarized" } };
}
