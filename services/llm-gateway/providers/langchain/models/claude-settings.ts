/** Request settings for a Claude model. */
interface ClaudeSettings {
  /** The longest answer. */
  readonly maxTokens: number;
  /** Undefined if the model is not asked to think. */
  readonly thinking:
    | { readonly type: "enabled"; readonly budget_tokens: number }
    | { readonly type: "adaptive"; readonly display: "summarized" }
    | undefined;
}

/** The smallest that Anthropic takes. */
const MIN_THINKING_BUDGET = 1_024;
/** Opus 4's limit, the lowest of all models that think. */
const THINKER_MAX_TOKENS = 32_000;
const THINKING_BUDGET = 16_000;

/**
 * The settings for a model name. The 3.7 to 4.5 families think within a token budget; later ones decide themselves how
 * much, and return a summary only on request. Older models, and other vendors' models behind Anthropic's API, are not
 * asked to think. A lower limit for the answer, which includes thoughts, leaves half of it for them.
 */
export function claudeSettings(model: string, maxOutputTokens = Infinity): ClaudeSettings {
  const { maxTokens: longest, thinking } = usualSettings(model);
  const maxTokens = Math.min(longest, maxOutputTokens);
  if (thinking?.type !== "enabled") return { maxTokens, thinking };
  const budget = Math.min(thinking.budget_tokens, Math.floor(maxTokens / 2));
  return budget < MIN_THINKING_BUDGET
    ? { maxTokens, thinking: undefined }
    : { maxTokens, thinking: { ...thinking, budget_tokens: budget } };
}

function usualSettings(model: string): ClaudeSettings {
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
