import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import {
  SESSION_COUNTERS,
  SESSION_FLAGS,
  type SessionCounter,
  type SessionFlag,
} from "#shared/database/session-counters.ts";
import type { CostSum } from "#shared/database/cost-sums.ts";
import type { StepRows } from "../state/step-rows.ts";
import { callCosts, type CallCosts } from "./call-costs.ts";

/** What steps add to the counters of their session, and the flags that they set. */
type StepCounts = Readonly<Record<Exclude<SessionCounter, CostSum>, number> & Record<SessionFlag, boolean>> &
  CallCosts;

/** What the rows of these steps add to the session's counters, in the order of the statement's parameters. */
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
