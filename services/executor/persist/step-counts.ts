import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import {
  SESSION_COUNTERS,
  SESSION_FLAGS,
  type SessionCounter,
  type SessionFlag,
} from "#shared/database/session-counters.ts";
import type { CostSum } from "#shared/database/cost-sums.ts";
import type { StepRows, NewLlmInteraction } from "../state/step-rows.ts";
import { parseUsd, usdText } from "#shared/pricing/usd.ts";

/** The amounts that steps add to the counters of their session, and the flags that they set. */
type StepCounts = Readonly<Record<Exclude<SessionCounter, CostSum>, number> & Record<SessionFlag, boolean>> &
  CallCosts;

/**
 * The amounts that the rows of these steps add to the session's counters, in the order of the statement's parameters.
 */
export function stepCounts(steps: readonly StepRows[]): readonly (number | boolean | string)[] {
  const counts = countRows(steps);
  return [...SESSION_COUNTERS, ...SESSION_FLAGS].map((name) => counts[name]);
}

function countRows(steps: readonly StepRows[]): StepCounts {
  const stages = steps.flatMap((step) => step.stages ?? []).filter((stage) => stage.is_follow_up !== true);
  const ends = steps.flatMap(({ stageEnds = [] }) => stageEnds).filter((end) => end.is_follow_up !== true);
  // Once the synthesis of a stage begins, its agents' part is complete; the stage's own end is then that of the synthesis.
  const syntheses = steps.flatMap(({ executions = [] }) => executions).filter((row) => row.is_synthesis);
  const calls = steps.flatMap(({ llmInteractions = [] }) => llmInteractions);
  return {
    ...callCosts(calls),
    llm_interaction_count: calls.length,
    mcp_interaction_count: steps
      .flatMap(({ mcpInteractions = [] }) => mcpInteractions)
      .filter((row) => row.interaction_type !== "tool_list" || row.server_name !== BUILT_IN_SERVER).length,
    provider_fallback_count: steps
      .flatMap(({ timeline = [] }) => timeline)
      .filter(({ event_type }) => event_type === "provider_fallback").length,
    total_stages: stages.length + syntheses.length,
    completed_stages: syntheses.length + ends.filter(({ status }) => status === "completed").length,
    failed_stages: ends.filter(({ status }) => status === "failed" || status === "timed_out").length,
    has_parallel_stages: stages.some(({ parallel_type }) => parallel_type !== null),
    has_action_stages: stages.some(({ stage_type }) => stage_type === "action"),
    has_summary_stage: ends.some(({ is_summary_next }) => is_summary_next),
  };
}

/** The amounts that LLM calls add to the sums of their execution and session; the cost is decimal text. */
type CallCosts = Readonly<Record<Exclude<CostSum, "estimated_cost_usd">, number>> & {
  readonly estimated_cost_usd: string;
};

/** The sums over these calls, exactly. A call without tokens is neither priced nor unpriced. */
export function callCosts(calls: readonly NewLlmInteraction[]): CallCosts {
  const priced = calls.flatMap(({ estimated_cost_usd: usd }) => usd ?? []);
  const unpriced = calls.filter((call) => call.estimated_cost_usd === null && (call.total_tokens ?? 0) > 0);
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce<number>((all, count) => all + (count ?? 0), 0);
  return {
    cached_input_tokens: sum(calls.map((call) => call.cached_input_tokens)),
    estimated_cost_usd: usdText(priced.reduce((all, usd) => all + parseUsd(usd), 0n)),
    priced_interaction_count: priced.length,
    unpriced_interaction_count: unpriced.length,
    unpriced_tokens: sum(unpriced.map((call) => call.total_tokens)),
  };
}
