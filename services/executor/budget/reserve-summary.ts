import { exceededText } from "#shared/contracts/budget.ts";
import { EMPTY_REPLY, type LlmReply } from "../llm/llm-reply.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { commitReserving } from "../persist/commit-step.ts";
import { reserveCall, type CallReservation, type WantedCall } from "./reserve-call.ts";

/**
 * Reserves for a call outside an agent's conversation: the executive summary, or with `isOptional` one that is left out once a soft
 * limit is reached. Without room, the reply that is recorded in place of the call's; no reservation where nothing limits the call.
 */
export async function reserveSummary(
  session: OwnedSession,
  call: Pick<WantedCall, "executionId" | "provider" | "request">,
  isOptional = false,
): Promise<{ readonly reservation: CallReservation | undefined } | { readonly reply: LlmReply }> {
  const rules = session.budgetRules();
  if (rules.length === 0) return { reservation: undefined };
  const answer = await reserveCall(session, rules, { ...call, isLast: !isOptional }, (request) =>
    commitReserving(session, [], request),
  );
  if (answer.kind === "granted") return { reservation: answer.reservation };
  if (answer.kind === "unlimited") return { reservation: undefined };
  const message = exceededText(answer.cause);
  const outcome = { kind: "failed", code: "budget_exceeded", message, retryable: false } as const;
  return { reply: { ...EMPTY_REPLY, outcome, isUnsent: true } };
}
