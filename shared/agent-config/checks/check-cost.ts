import { parseConfigInstant } from "#shared/agent-config/parse-config-instant.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { CostSection } from "#shared/agent-config/schemas/cost-section.ts";
import { hasSixDecimals } from "#shared/pricing/usd.ts";

type Promotion = Loose<NonNullable<CostSection["promotions"]>[number]>;

/** Checks that every rate is an exact price, and that at any time a model has one promotion at most. */
export function checkCost(cost: Loose<CostSection>, reporter: Reporter): void {
  for (const rates of Object.values(cost.model_rates ?? {})) {
    if (rates !== undefined) checkRates(rates, reporter);
  }
  const promotions = (cost.promotions ?? []).filter((promotion) => promotion !== undefined);
  const earlier: Promotion[] = [];
  for (const promotion of promotions) {
    checkRates(promotion, reporter);
    if (!checkPeriod(promotion, reporter)) continue;
    const other = earlier.find((each) => overlap(each, promotion));
    if (other !== undefined) {
      const line = reporter.sources.find(other)?.line;
      const rule = `must not overlap another promotion of ${promotion.model}`;
      reporter.error({ container: promotion }, rule, line === undefined ? "" : `that of line ${line}`);
    }
    earlier.push(promotion);
  }
}

function checkRates(rates: object, reporter: Reporter): void {
  for (const [key, rate] of Object.entries(rates)) {
    if (typeof rate !== "number" || hasSixDecimals(rate)) continue;
    reporter.error({ container: rates, key }, "must have at most six decimals");
  }
}

/** Whether the promotion can be compared with others. */
function checkPeriod(promotion: Promotion, reporter: Reporter): boolean {
  const broken = (key: "start" | "end") =>
    promotion[key] === undefined && reporter.sources.hasChild(promotion, key);
  if (promotion.model === undefined || broken("start") || broken("end")) return false;
  const { start, end } = period(promotion);
  if (start < end) return true;
  reporter.error({ container: promotion, key: "end" }, "must be later than start");
  return false;
}

function overlap(one: Promotion, other: Promotion): boolean {
  const [first, second] = [period(one), period(other)];
  return one.model === other.model && first.start < second.end && second.start < first.end;
}

function period({ start, end }: Promotion): { readonly start: number; readonly end: number } {
  return {
    start: parseConfigInstant(start ?? "") ?? -Infinity,
    end: parseConfigInstant(end ?? "") ?? Infinity,
  };
}
