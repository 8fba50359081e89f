import type { ApiResponse } from "#shared/client/api-types.ts";
import { countText, moneyText } from "../../parts/format.ts";
import { shownText } from "../../session/shown-text.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { Figure } from "./usage-figures.tsx";

type Budget = ApiResponse<"GET /api/v1/usage/summary">["budgets"][number];
type Unit = Budget["amounts"][number]["unit"];

const { budgets: texts } = RARE_TEXT.usage;

function amountText(unit: Unit, amount: number): string {
  return unit === "usd" ? moneyText(amount) : `${countText(amount)} ${unit}`;
}

/** What is used of each budget of which the reader may know, in its period that runs; nothing where there is none. */
export function Budgets({ budgets }: { readonly budgets: readonly Budget[] }) {
  const lines = budgets.flatMap(({ scope, key, period, amounts }) =>
    amounts.flatMap(({ unit, limit, used }) =>
      used === undefined ? [] : [{ name: texts.name(scope, shownText(key), period), unit, limit, used }],
    ),
  );
  if (lines.length === 0) return null;
  return (
    <dl class="usage-figures" aria-label={texts.title}>
      {lines.map(({ name, unit, limit, used }) => (
        <Figure
          key={`${name} ${unit}`}
          name={name}
          value={texts.used(amountText(unit, used), amountText(unit, limit))}
          note={<meter aria-label={name} value={used} max={limit} />}
        />
      ))}
    </dl>
  );
}
