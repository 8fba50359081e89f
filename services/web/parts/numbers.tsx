import { TEXT } from "../text.ts";
import { countText, moneyText } from "./format.ts";

/** A number of tokens; the exact number is in the title. */
export function Tokens({ count }: { readonly count: number }) {
  return (
    <span class="numbers" title={TEXT.units.tokens(count.toLocaleString())}>
      {TEXT.units.tokens(countText(count))}
    </span>
  );
}

interface MoneyProps {
  readonly usd: number;
  /** False where the prices of some calls are unknown: the cost is a lower bound. */
  readonly isComplete?: boolean;
}

/** An estimated cost in US dollars. */
export function Money({ usd, isComplete = true }: MoneyProps) {
  const text = moneyText(usd);
  return (
    <span class="numbers" title={isComplete ? undefined : TEXT.units.incompleteCost(text)}>
      {isComplete ? text : `≥ ${text}`}
    </span>
  );
}
