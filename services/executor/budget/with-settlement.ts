import type { LlmReply } from "../llm/llm-reply.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { BudgetSettlement } from "../state/step-rows.ts";
import type { Bounding } from "./call-bound.ts";
import type { CallReservation } from "./reserve-call.ts";

/** What a call has used of its reservation; nothing for a call without one. */
export function settlementOf(
  pricing: Bounding,
  reservation: CallReservation | undefined,
  reply: LlmReply,
): readonly BudgetSettlement[] {
  return reservation?.settle(pricing, reply) ?? [];
}

/** The step together with what its call has used. */
export function withSettlement(step: StepRecord, settled: readonly BudgetSettlement[]): StepRecord {
  if (settled.length === 0) return step;
  const { budgetSettlements = [] } = step.rows;
  return { ...step, rows: { ...step.rows, budgetSettlements: [...budgetSettlements, ...settled] } };
}
