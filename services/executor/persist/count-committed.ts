import type { Counter } from "prom-client";
import type { StepRows } from "../state/step-rows.ts";

/** The metrics of what calls cost. */
export interface CostMetrics {
  readonly cost: Counter<"provider" | "model">;
  readonly unpricedTokens: Counter<"provider" | "model">;
}

/** Models come from the configuration, but sessions keep that of their time: more of them become `other`. */
const MAX_SERIES = 200;
const known = new Set<string>();

/** Counts what the recorded calls cost, and the tokens of those without a price. */
export function countCosts({ cost, unpricedTokens }: CostMetrics, steps: readonly StepRows[]): void {
  for (const { provider_type, model_name, estimated_cost_usd, total_tokens } of steps.flatMap(
    ({ llmInteractions = [] }) => llmInteractions,
  )) {
    const labels = labelsOf(provider_type, model_name);
    cost.inc(labels, Number(estimated_cost_usd ?? 0));
    unpricedTokens.inc(labels, estimated_cost_usd === null ? (total_tokens ?? 0) : 0);
  }
}

function labelsOf(provider: string, model: string): { provider: string; model: string } {
  const key = JSON.stringify([provider, model]);
  if (known.size < MAX_SERIES) known.add(key);
  return known.has(key) ? { provider, model } : { provider: "other", model: "other" };
}

/** The metrics of work on sessions that have ended. */
export interface FollowUpMetrics {
  readonly followUps: Counter<"kind" | "status">;
}

/** Counts the follow-ups that the committed steps end. */
export function countFollowUps({ followUps }: FollowUpMetrics, steps: readonly StepRows[]): void {
  for (const { kind, end } of steps.flatMap(({ followUpChanges = [] }) => followUpChanges)) {
    if (end !== undefined) followUps.inc({ kind, status: end.status });
  }
}
