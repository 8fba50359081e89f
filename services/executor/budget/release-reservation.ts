import type { ExecutionRun } from "../core/execution-run.ts";

/** Adds to the agent's steps that the call it has reserved for is not made. */
export function releaseReservation({ steps }: Pick<ExecutionRun, "steps">): void {
  const { reservation } = steps;
  if (reservation === undefined) return;
  steps.reservation = undefined;
  steps.add({ rows: { budgetSettlements: reservation.unused() }, events: [] });
}
