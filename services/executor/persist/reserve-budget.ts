import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import {
  BudgetCause,
  type BudgetLimits,
  type BudgetPeriod,
  type BudgetScope,
} from "#shared/contracts/budget.ts";

/** The most that a call, or an agent's conclusion, can use. */
interface BudgetAmounts {
  /** Decimal text; null if it has no price. */
  readonly usd: string | null;
  readonly tokens: number;
  readonly calls: number;
}

/** One budget that a session's calls count against. */
export type BudgetRule = {
  readonly scope: BudgetScope;
  readonly key: string;
  readonly period: BudgetPeriod;
} & (
  | /** Its limits are those of the table when the call is reserved. */ { readonly stored: true }
  | ({ readonly stored: false } & BudgetLimits)
);

/** The reservation before a call. */
export interface BudgetRequest {
  readonly scopes: readonly BudgetRule[];
  readonly reservation: BudgetAmounts & { readonly id: string; readonly execution_id: string };
  /**
   * The amount that is kept for the agent's conclusion from now on, in place of what was kept before; absent: it stays.
   */
  readonly conclusion?: BudgetAmounts & { readonly id: string };
  /** The call needs no other one after it: a soft limit does not stop it. */
  readonly is_last: boolean;
}

/** The answer of the accounts. */
export const BudgetVerdict = Type.Object({
  verdict: Type.Union([
    Type.Literal("granted"),
    /** A soft limit is reached: nothing was reserved, and the agent is to conclude. */
    Type.Literal("soft"),
    /** A limit could be exceeded: nothing was reserved. */
    Type.Literal("refused"),
    /** None of the budgets exists any more: nothing was reserved. */
    Type.Literal("unlimited"),
    /** USD are limited, and the call has no price: nothing was reserved. */
    Type.Literal("unpriced"),
  ]),
  /** True for a refused call if only what is reserved stands in its way, and much of that will not be used. */
  may_pass: Type.Optional(Type.Boolean()),
  cause: Type.Optional(BudgetCause),
  /** The tokens that are kept back for the agent's conclusion. */
  kept_tokens: Type.Optional(Type.Integer()),
});
export type BudgetVerdict = Static<typeof BudgetVerdict>;

/**
 * The part of a step's statement that reserves for the call which follows it. It depends on the fence, so the runtime row is locked
 * first, then the accounts in the order of their keys: two statements never wait for each other.
 */
export const RESERVE = (request: string) => `
budget AS MATERIALIZED (
  SELECT tarsy_reserve_budget(fence.session_id, $2, ${request}::json) AS verdict FROM fence
)`;
