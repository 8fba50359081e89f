import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ResolvedBudgets } from "#shared/contracts/budget.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parse = compileParser(
  "budgets of a stored configuration",
  Type.Object({ budgets: Type.Optional(ResolvedBudgets) }, { additionalProperties: true }),
);

/** The budgets that a session was stored with; none if another version wrote them in a way that this one does not read. */
export function storedBudgets(resolvedConfig: unknown): ResolvedBudgets {
  try {
    return parse(resolvedConfig).budgets ?? {};
  } catch {
    return {};
  }
}
