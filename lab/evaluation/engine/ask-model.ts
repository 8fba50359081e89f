import { createHash, randomUUID } from "node:crypto";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import { callBound, inputBound } from "../../../services/executor/budget/call-bound.ts";
import { limitedRequest } from "../../../services/executor/budget/reserve-call.ts";
import { callLlm } from "../../../services/executor/llm/call-llm.ts";
import { callTimeoutMs, generateRequest } from "../../../services/executor/llm/generate-request.ts";
import { priceReply } from "../../../services/executor/llm/llm-interaction-row.ts";
import { replyFailure } from "../../../services/executor/llm/llm-reply.ts";
import type { Reply } from "../results/reply.ts";
import { usdShown } from "../report/usd-shown.ts";
import { usdText } from "#shared/pricing/usd.ts";

/** How often the gateway tries a call. */
const TRIES = 3;

/** A question to a model, outside of any session. */
export interface Question {
  readonly system: string;
  readonly user: string;
  /** From 1; the same question is asked again for another vote. */
  readonly vote: number;
}

/** The reply to a question; undefined if there is none and none is asked for. */
export type Ask = (question: Question) => Promise<Reply | undefined>;

/** A model with the gateway that reaches it. */
export interface AskedModel {
  readonly agent: ResolvedAgent;
  readonly client: LLMServiceClient;
  readonly costEstimation: CostEstimation;
  readonly log: Logger;
}

/** Equal for questions that would have the same reply, but for chance. */
export function questionKey(agent: ResolvedAgent, { system, user, vote }: Question): string {
  return createHash("sha256")
    .update(JSON.stringify([agent.llm_provider, system, user, vote]))
    .digest("hex");
}

/**
 * Asks a model one question. Throws if it gives no reply, before a call that could cost more than `limitUsd`, and the signal's reason.
 */
export async function askModel(
  { agent, client, costEstimation, log }: AskedModel,
  question: Question,
  { limitUsd, signal }: { readonly limitUsd: number; readonly signal: AbortSignal },
): Promise<Reply> {
  const provider = agent.llm_provider;
  const pricing = { llm: { costEstimation, tries: TRIES }, clock: { databaseNow: () => Date.now() } };
  const session = { sessionId: randomUUID() };
  const messages = (["system", "user"] as const).map((role, index) => ({
    message_id: randomUUID(),
    sequence_number: index + 1,
    role,
    content: question[role],
  }));
  const whole = generateRequest(
    { session, execution: { execution_id: randomUUID() }, state: { agent, messages } },
    [],
  );
  const request = limitUsd === Infinity ? whole : limitedRequest(whole, provider);
  const { usd: most } = callBound(pricing, provider, inputBound(request));
  if (limitUsd < Infinity && (most === null || Number(most) > limitUsd)) {
    throw new Error(
      `a call of the judge could cost ${most === null ? "an unknown sum" : usdShown(Number(most))}, and ${usdShown(limitUsd)} of the cell's budget is left: raise cell_budget_usd`,
    );
  }
  const { reply } = await callLlm(
    { llm: { client }, log, signals: { cancelled: signal } },
    {
      request,
      timeoutMs: callTimeoutMs(agent),
      begin: () => ({ thinking: () => undefined, text: () => undefined }),
    },
  );
  const failure = replyFailure(reply, { thinkingMayAnswer: false });
  if (failure !== null) throw new Error(`${provider.name} has not answered a question: ${failure.message}`);
  const price = priceReply(pricing, provider, reply);
  return {
    key: questionKey(agent, question),
    model: `${provider.name} (${provider.model})`,
    ...(reply.answeredBy === null ? {} : { answered_by: reply.answeredBy }),
    at: new Date().toISOString(),
    text: reply.text,
    cost_usd: price === null ? null : Number(usdText(price.usd)),
  };
}
