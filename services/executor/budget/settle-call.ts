import { parseUsd, usdText } from "#shared/pricing/usd.ts";
import { isUncharged } from "#shared/contracts/llm-error-codes.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { LlmOutcome, LlmReply } from "../llm/llm-reply.ts";
import { priceReply, type Pricing } from "../llm/llm-interaction-row.ts";
import type { BudgetSettlement } from "../state/step-rows.ts";
import type { CallBound } from "./call-bound.ts";

/** A reservation and its bound. */
export interface Reserved {
  readonly id: string;
  readonly bound: CallBound;
}

/**
 * The use of a call: the provider's count, and the most for the gateway's earlier tries that the count leaves out;
 * nothing if no gateway took the call or the provider has refused it; the most that it could use, if its use is
 * unknown.
 */
export function settleCall(
  pricing: Pricing,
  provider: Pick<ResolvedProvider, "type" | "model">,
  { id, bound }: Reserved,
  reply: LlmReply,
): BudgetSettlement {
  const { usage, outcome } = reply;
  if (outcome.kind === "unreachable") return settleUnused(id);
  if (usage !== null && isWhole(outcome)) {
    const price = priceReply(pricing, provider, reply);
    const { totalTokens, inputTokens, outputTokens, thinkingTokens, unreportedTries = 0 } = usage;
    const tokens = Math.max(totalTokens, inputTokens + outputTokens + thinkingTokens);
    const tries = BigInt(pricing.llm.tries);
    const triedUsd = (parseUsd(bound.usd ?? usdText(0n)) / tries) * BigInt(unreportedTries);
    const triedTokens = (bound.tokens / pricing.llm.tries) * unreportedTries;
    return {
      reservation_id: id,
      usd: usdText((price?.usd ?? 0n) + triedUsd),
      tokens: tokens + triedTokens,
      calls: 1,
    };
  }
  return isRefused(outcome) ? { ...settleUnused(id), calls: 1 } : settleFully({ id, bound });
}

/** The settlement of a call that was not made. */
export function settleUnused(id: string): BudgetSettlement {
  return { reservation_id: id, usd: usdText(0n), tokens: 0, calls: 0 };
}

/** The settlement of a call whose outcome is not known. */
export function settleFully({ id, bound }: Reserved): BudgetSettlement {
  return { reservation_id: id, usd: bound.usd ?? usdText(0n), tokens: bound.tokens, calls: bound.calls };
}

/** The usage of an answer that broke off may lack what came after it was reported. */
function isWhole(outcome: LlmOutcome): boolean {
  return outcome.kind === "completed" || (outcome.kind === "failed" && outcome.code === "content_blocked");
}

function isRefused(outcome: LlmOutcome): boolean {
  if (outcome.kind !== "failed") return false;
  return isUncharged(outcome.code === "max_retries" ? (outcome.lastCode ?? "") : outcome.code);
}
