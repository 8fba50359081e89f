import { Type } from "#shared/generated/typebox/typebox.mjs";
import { COST_COMPLETENESS } from "#shared/contracts/cost-completeness.ts";
import { literals } from "#shared/contracts/literals.ts";

/** USD; exact to twelve decimals before it became a JSON number. */
export const Usd = Type.Number({ minimum: 0 });

/** What a session or an execution says about its cost; nothing while estimation is off, and no sum where no call has a price. */
export const CostMembers = {
  estimated_cost_usd: Type.Optional(Usd),
  cost_completeness: Type.Optional(literals(COST_COMPLETENESS)),
  unpriced_interaction_count: Type.Optional(Type.Integer({ minimum: 0 })),
} as const;
