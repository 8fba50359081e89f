import { randomUUID } from "node:crypto";
import { budgetName, type BudgetCause, exceededText } from "#shared/contracts/budget.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { pause } from "#shared/pause.ts";
import { type LlmReply, EMPTY_REPLY } from "../llm/llm-reply.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import { commitReserving } from "../persist/commit-step.ts";
import type { BudgetRequest, BudgetRule, BudgetVerdict } from "../persist/reserve-budget.ts";
import type { BudgetSettlement } from "../state/step-rows.ts";
import type { Pricing } from "../llm/llm-interaction-row.ts";
import { callBound, inputBound, outputLimit, type CallBound } from "./call-bound.ts";
import { settleCall, settleFully, settleUnused, type Reserved } from "./settle-call.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { ExecutionRun } from "../core/execution-run.ts";

/** How long a call waits for what others have reserved and may not use, and the pause between two looks, in milliseconds. */
export const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 250;

/** A call to be reserved. */
interface WantedCall {
  readonly executionId: string;
  readonly provider: ResolvedProvider;
  readonly request: GenerateRequest;
  readonly isLast: boolean;
  /** The reservation for the agent's conclusion from now on; absent: the one that exists stays. */
  readonly conclusion?: { readonly id: string; readonly bound: CallBound };
}

/** Commits a reservation with what the caller has to commit. */
type Reserving = (request: BudgetRequest) => Promise<BudgetVerdict>;

/** A call whose most possible use is reserved; also of its repetitions after a broken connection. */
export class CallReservation {
  readonly #wanted: WantedCall;
  readonly #again: (id: string) => Promise<BudgetVerdict>;
  readonly #bound: CallBound;
  #current: string;
  readonly #lost: BudgetSettlement[] = [];

  constructor(
    wanted: WantedCall,
    bound: CallBound,
    id: string,
    again: (id: string) => Promise<BudgetVerdict>,
  ) {
    this.#wanted = wanted;
    this.#bound = bound;
    this.#current = id;
    this.#again = again;
  }

  /** The request, whose answer is limited. */
  get request(): GenerateRequest {
    return this.#wanted.request;
  }

  /** Reserves once more, because the call broke and may have been charged; false if there is no room for another. */
  async repeat(): Promise<boolean> {
    const id = randomUUID();
    const { verdict } = await this.#again(id);
    if (verdict !== "granted") return verdict === "unlimited";
    this.#lost.push(settleFully(this.#reserved()));
    this.#current = id;
    return true;
  }

  /** The settlements to commit with the outcome. */
  settle(pricing: Pricing, reply: LlmReply): BudgetSettlement[] {
    return [...this.#lost, settleCall(pricing, this.#wanted.provider, this.#reserved(), reply)];
  }

  /** The settlements to commit if the call is not made after all. */
  unused(): BudgetSettlement[] {
    return [settleUnused(this.#current)];
  }

  #reserved(): Reserved {
    return { id: this.#current, bound: this.#bound };
  }
}

/** The answer to a wanted call: its reservation, nothing if nothing limits it, or why it must not be made. */
type Reservation =
  | { readonly kind: "granted"; readonly reservation: CallReservation }
  | { readonly kind: "unlimited" }
  | {
      readonly kind: "soft" | "refused";
      readonly cause: BudgetCause;
      /** The tokens that are kept back for the agent's conclusion. */
      readonly keptTokens: number;
    };

/** The same request with the limit of the answer that its bound is made with. */
export function limitedRequest(request: GenerateRequest, provider: ResolvedProvider): GenerateRequest {
  const { llmConfig } = request;
  if (llmConfig === undefined) return request;
  return { ...request, llmConfig: { ...llmConfig, maxOutputTokens: outputLimit(provider) } };
}

/**
 * Reserves the most that the call can use, in all budgets of its session or in none. If only what others have reserved stands in its
 * way, it looks again for a few seconds. Throws TerminalError `unpriced_model` if USD are limited and the model has no price.
 */
export async function reserveCall(
  session: OwnedSession,
  rules: readonly BudgetRule[],
  given: WantedCall,
  commit: Reserving,
): Promise<Reservation> {
  const wanted = { ...given, request: limitedRequest(given.request, given.provider) };
  const bound = callBound(session, wanted.provider, inputBound(wanted.request));
  const waitUntil = performance.now() + PATIENCE_MS;
  for (;;) {
    const id = randomUUID();
    const answer = await commit(requestOf(rules, wanted, bound, id));
    if (answer.verdict === "unpriced") throw unpriced(wanted.provider, answer.cause);
    if (answer.verdict === "unlimited") return { kind: "unlimited" };
    if (answer.verdict === "granted") {
      const { conclusion: _kept, ...repeated } = wanted;
      const again = (next: string) =>
        commitReserving(session, [], requestOf(rules, { ...repeated, isLast: true }, bound, next));
      return { kind: "granted", reservation: new CallReservation(wanted, bound, id, again) };
    }
    const { cause, kept_tokens: keptTokens = 0, may_pass: mayPass = false } = answer;
    if (cause === undefined) return { kind: "unlimited" };
    if (answer.verdict === "soft" || !mayPass || performance.now() >= waitUntil) {
      return { kind: answer.verdict, cause, keptTokens };
    }
    await pause(LOOK_EVERY_MS * (0.5 + Math.random()), session.signals.cancelled);
  }
}

function requestOf(
  scopes: readonly BudgetRule[],
  { executionId, conclusion, isLast }: Omit<WantedCall, "provider" | "request">,
  bound: CallBound,
  id: string,
): BudgetRequest {
  return {
    scopes,
    reservation: { ...bound, id, execution_id: executionId },
    ...(conclusion === undefined ? {} : { conclusion: { ...conclusion.bound, id: conclusion.id } }),
    is_last: isLast,
  };
}

function unpriced({ name, model, type }: ResolvedProvider, cause: BudgetCause | undefined): TerminalError {
  const limit = cause === undefined ? "a budget in USD" : budgetName(cause);
  return new TerminalError(
    "unpriced_model",
    `model ${model} of LLM provider ${name} (${type}) has no price, and ${limit} needs one: add it to system.cost_estimation.model_rates`,
  );
}

/** The settlements of a call's reservation; none for a call without one. */
export function settlementOf(
  pricing: Pricing,
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

/** Adds to the agent's steps that the call it has reserved for is not made. */
export function releaseReservation({ steps }: Pick<ExecutionRun, "steps">): void {
  const { reservation } = steps;
  if (reservation === undefined) return;
  steps.reservation = undefined;
  steps.add({ rows: { budgetSettlements: reservation.unused() }, events: [] });
}

/**
 * Reserves for a call outside an agent's conversation: the executive summary, or with `isOptional` one that is left out once a soft
 * limit is reached. Without room, the reply that is recorded in place of the call's; no reservation where nothing limits the call.
 */
export async function reserveSummary(
  session: OwnedSession,
  call: Pick<WantedCall, "executionId" | "provider" | "request">,
  isOptional = false,
): Promise<{ readonly reservation: CallReservation | undefined } | { readonly reply: LlmReply }> {
  const rules = session.llm.budgetRules();
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
