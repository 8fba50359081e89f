import type { ExecutionRun } from "../../core/execution-run.ts";
import { conclusionId } from "./admit-call.ts";
import { settleUnused } from "../../budget/settle-call.ts";

/** Adds to the agent's last steps that nothing is kept back for its conclusion any more. */
export function releaseConclusion({ session, execution, steps }: ExecutionRun): void {
  if (session.budgetRules().length === 0) return;
  steps.add({ rows: { budgetSettlements: [settleUnused(conclusionId(execution))] }, events: [] });
}
