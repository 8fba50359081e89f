import type { ComponentChildren } from "preact";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { countText, moneyText } from "../../parts/format.ts";
import { Money } from "../../parts/numbers.tsx";
import { RARE_TEXT } from "../rare-text.ts";
import { changeText } from "./usage-window.ts";

interface UsageFiguresProps {
  readonly summary: ApiResponse<"GET /api/v1/usage/summary">;
  readonly daily: ApiResponse<"GET /api/v1/usage/days">;
  /** The sums of the same time before. */
  readonly earlier: ApiResponse<"GET /api/v1/usage/summary">["totals"];
}

/** The sums of the whole window beside those of the same time before, and what they do not contain. */
export function UsageFigures({ summary, daily, earlier }: UsageFiguresProps) {
  const { totals, by_model, cost_estimation_enabled: hasCosts } = summary;
  const { figures } = RARE_TEXT.usage;
  const sum = (count: (outcomes: (typeof daily.days)[number]["outcomes"]) => number) =>
    daily.days.reduce((all, { outcomes }) => all + count(outcomes), 0);
  const ended = sum(
    ({ completed, failed, timed_out, cancelled }) => completed + failed + timed_out + cancelled,
  );
  const completed = sum((outcomes) => outcomes.completed);
  const unpriced = totals.unpriced_interaction_count ?? 0;
  const models = by_model.filter(({ priced }) => priced === false).map(({ model_name }) => model_name);
  return (
    <>
      <dl class="usage-figures">
        <Figure
          name={figures.sessions}
          value={totals.session_count.toLocaleString()}
          change={changeText(totals.session_count, earlier.session_count)}
        />
        {hasCosts && (
          <Figure
            name={figures.cost}
            value={
              totals.estimated_cost_usd === undefined ? (
                RARE_TEXT.usage.noPrice
              ) : (
                <Money usd={totals.estimated_cost_usd} isComplete={totals.cost_completeness === "complete"} />
              )
            }
            note={
              totals.average_cost_usd === undefined
                ? undefined
                : `${moneyText(totals.average_cost_usd)} ${figures.perSession}`
            }
            change={changeText(totals.estimated_cost_usd ?? 0, earlier.estimated_cost_usd ?? 0)}
          />
        )}
        <Figure
          name={figures.tokens}
          value={countText(totals.total_tokens)}
          note={`${countText(totals.input_tokens)} ${figures.input}, ${countText(totals.output_tokens)} ${figures.output}`}
          change={changeText(totals.total_tokens, earlier.total_tokens)}
        />
        {ended > 0 && (
          <Figure
            name={figures.completed}
            value={`${Math.floor((completed / ended) * 100)}%`}
            note={figures.ofEnded}
          />
        )}
      </dl>
      {!hasCosts && <p class="soft">{RARE_TEXT.usage.off}</p>}
      {hasCosts && unpriced > 0 && (
        <p class="usage-notice">
          {RARE_TEXT.usage.unpriced(unpriced.toLocaleString(), countText(totals.unpriced_token_count ?? 0))}{" "}
          {models.length > 0 && RARE_TEXT.usage.unpricedModels(models.join(", "))}
        </p>
      )}
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly change?: string | undefined;
}

/** A sum with what it is of, and how it was before. */
export function Figure({ name, value, note, change }: FigureProps) {
  return (
    <div>
      <dt class="soft small">{name}</dt>
      <dd>
        <span class="value numbers">{value}</span>
        {note !== undefined && <span class="soft small numbers">{note}</span>}
        {change !== undefined && <span class="soft small numbers">{change}</span>}
      </dd>
    </div>
  );
}
