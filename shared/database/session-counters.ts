import { COST_SUMS } from "#shared/database/cost-sums.ts";
import { configOf } from "#shared/database/resolved-configs.ts";

/**
 * The counters of a session in `session_runtime`, which the list of sessions shows: each step adds what it stores
 * (services/executor/persist/step-counts.ts). The stages are those of the chain that have begun, and each synthesis as one of its
 * own. The executive summary follows from `has_summary_stage` and the session's row.
 */
export const SESSION_COUNTERS = [
  "llm_interaction_count",
  "mcp_interaction_count",
  "provider_fallback_count",
  "total_stages",
  "completed_stages",
  "failed_stages",
  ...COST_SUMS,
] as const;
export type SessionCounter = (typeof SESSION_COUNTERS)[number];

/** What a session has once it is true, set together with the counters; `has_summary_stage`: all stages of its chain completed, the last with an answer. */
export const SESSION_FLAGS = ["has_parallel_stages", "has_action_stages", "has_summary_stage"] as const;
export type SessionFlag = (typeof SESSION_FLAGS)[number];

/** The stages of a session's stored configuration as SQL rows `plan(stage)`; `session` is its row in `alert_sessions`. */
export const plannedStageRows = (session: string): string =>
  `jsonb_array_elements(${configOf(session)} -> 'stages') AS plan(stage) WHERE jsonb_typeof(plan.stage) = 'object'`;
