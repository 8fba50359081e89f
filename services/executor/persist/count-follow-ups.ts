import type { Counter } from "prom-client";
import type { StepRows } from "../state/step-rows.ts";

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
