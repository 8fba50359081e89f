import type { ApiResponse } from "#shared/client/api-types.ts";
import { printable } from "./terminal/terminal-style.ts";

/** A budget as the api shows it. */
export type ShownBudget = Omit<
  ApiResponse<"GET /api/v1/budgets">["budgets"][number],
  "set_by" | "updated_at"
>;

/** One line for each limit: `team sre (day)  12.5 of 20 usd used, 0.4 reserved, 7.1 left`. */
export function budgetLines({ scope, key, period, source, amounts }: ShownBudget): readonly string[] {
  const named = scope === "chain" || scope === "team" ? `${scope} ${printable(key)} (${period})` : scope;
  const from = source === "file" ? "  [tarsy.yaml]" : "";
  return amounts.map(({ unit, limit, used, reserved, remaining }) =>
    used === undefined
      ? `${named}  ${limit} ${unit}${from}`
      : `${named}  ${shown(used)} of ${limit} ${unit} used, ${shown(reserved)} reserved, ${shown(remaining)} left${from}`,
  );
}

function shown(amount = 0): string {
  return String(Number(amount.toFixed(6)));
}
