import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Whole } from "#shared/agent-config/schemas/schema-parts.ts";

/** Limits of what LLM calls may use. */
const Limits = Type.Object({
  usd: Type.Optional(Type.Number({ minimum: 0.000_001, maximum: 1_000_000 })),
  tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  calls: Type.Optional(Whole(1)),
  soft_ratio: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1 })),
});
export type LimitsEntry = Static<typeof Limits>;

/** The budgets of every session without others of its chain. */
export const DefaultBudgets = Type.Object({ session: Type.Optional(Limits) });

/** The budgets of a chain's sessions: of each of them, and of all of them in a day. */
export const ChainBudgets = Type.Object({ session: Type.Optional(Limits), day: Type.Optional(Limits) });
export type ChainBudgets = Static<typeof ChainBudgets>;
