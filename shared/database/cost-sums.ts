/** What every call counts. */
export const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;

/** What executions and sessions sum up of their LLM calls, beside the tokens; each step adds what it stores. */
export const COST_SUMS = [
  "cached_input_tokens",
  "estimated_cost_usd",
  "priced_interaction_count",
  "unpriced_interaction_count",
  "unpriced_tokens",
] as const;
export type CostSum = (typeof COST_SUMS)[number];

/** A call of which the tokens are known, but no price. `call` is the SQL name of a row of `llm_interactions`. */
const isUnpriced = (call: string) => `${call}.estimated_cost_usd IS NULL AND ${call}.total_tokens > 0`;

/** The sums as SQL aggregates over rows of `llm_interactions`, whose SQL name is `call`. */
export const costAggregates = (call: string): Readonly<Record<CostSum, string>> => ({
  cached_input_tokens: `coalesce(sum(${call}.cached_input_tokens), 0)::bigint`,
  estimated_cost_usd: `coalesce(sum(${call}.estimated_cost_usd), 0)`,
  priced_interaction_count: `count(${call}.estimated_cost_usd)::int`,
  unpriced_interaction_count: `(count(*) FILTER (WHERE ${isUnpriced(call)}))::int`,
  unpriced_tokens: `coalesce(sum(${call}.total_tokens) FILTER (WHERE ${isUnpriced(call)}), 0)::bigint`,
});

/** All columns of `session_model_usage` but its key, as SQL aggregates over rows of `llm_interactions`. */
export const modelUsageAggregates = (call: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(TOKENS.map((name) => [name, `coalesce(sum(${call}.${name}), 0)::bigint`])),
  ...costAggregates(call),
});
