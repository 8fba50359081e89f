import type { ComponentChildren } from "preact";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { durationText, moneyText, shortId } from "../../parts/format.ts";
import { StatusDot } from "../../parts/status-dot.tsx";
import { shownText } from "../../session/shown-text.ts";
import { COMPARE_TEXT } from "./compare-text.ts";

/** What the api says of two sessions. */
export type Comparison = ApiResponse<"GET /api/v1/sessions/:id/comparison">;

type Side = Comparison["a"];

const ROWS: readonly (readonly [string, (side: Side) => ComponentChildren])[] = [
  [COMPARE_TEXT.rows.status, ({ status }) => <StatusDot status={status} />],
  [COMPARE_TEXT.rows.chain, ({ chain_id }) => shownText(chain_id)],
  [COMPARE_TEXT.rows.providers, ({ llm_providers }) => llm_providers.map(shownText).join(", ")],
  [COMPARE_TEXT.rows.duration, ({ duration_ms: ms }) => (ms === null ? "–" : durationText(ms))],
  [COMPARE_TEXT.rows.cost, ({ estimated_cost_usd: usd }) => costText(usd)],
  [COMPARE_TEXT.rows.tokens, ({ total_tokens }) => total_tokens.toLocaleString()],
  [
    COMPARE_TEXT.rows.inOut,
    ({ input_tokens, output_tokens }) =>
      `${input_tokens.toLocaleString()}, ${output_tokens.toLocaleString()}`,
  ],
  [COMPARE_TEXT.rows.llm, ({ llm_calls }) => llm_calls],
  [COMPARE_TEXT.rows.tool, ({ tool_calls }) => tool_calls],
];

/** An amount of dollars; `–` where it is not known. */
export function costText(usd: number | null): string {
  return usd === null ? "–" : moneyText(usd);
}

/** A session by its alert. */
export function sideTitle({ alert_preview, session_id }: Side): string {
  return shownText(alert_preview) || shortId(session_id);
}

/** How two sessions went and what they cost. */
export function Figures({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  return (
    <section class="compare-figures">
      <DataTable
        caption={COMPARE_TEXT.figures}
        hidesCaption
        columns={[{ text: COMPARE_TEXT.columns.what }, { text: "A" }, { text: "B" }]}
        rows={ROWS.map(([name, show]) => ({ key: name, cells: [name, show(a), show(b)] }))}
      />
    </section>
  );
}
