import type { ApiResponse } from "#shared/client/api-types.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { countText, moneyText, shortId } from "../../parts/format.ts";
import { Moment } from "../../parts/time.tsx";
import { shownText } from "../../session/shown-text.ts";
import { Money } from "../../parts/numbers.tsx";
import { RARE_TEXT } from "../rare-text.ts";

type UsageSummary = ApiResponse<"GET /api/v1/usage/summary">;

const number = (text: string) => ({ text, isNumber: true });

function cost(usd: number | undefined): string {
  return usd === undefined ? "–" : moneyText(usd);
}

/** The window by model, alert type and chain, and its largest sessions. */
export function UsageTables({ summary }: { readonly summary: UsageSummary }) {
  const { columns } = RARE_TEXT.usage;
  const hasCosts = summary.cost_estimation_enabled;
  const costs = (usd: number | undefined, average: number | undefined) =>
    hasCosts ? [cost(usd), cost(average)] : [];
  const costColumns = hasCosts ? [number(columns.cost), number(columns.average)] : [];
  const group = [number(columns.sessions), number(columns.tokens), ...costColumns];
  return (
    <div class="usage-tables">
      <div class="wide">
        <DataTable
          caption={RARE_TEXT.usage.byModel}
          columns={[
            { text: columns.model },
            number(columns.sessions),
            number(columns.input),
            number(columns.output),
            ...costColumns,
          ]}
          rows={summary.by_model.map((model) => ({
            key: model.model_name,
            cells: [
              <ModelName model={model} />,
              model.session_count.toLocaleString(),
              countText(model.input_tokens),
              countText(model.output_tokens),
              ...costs(model.estimated_cost_usd, model.average_cost_usd),
            ],
          }))}
        />
      </div>
      <DataTable
        caption={RARE_TEXT.usage.byAlertType}
        columns={[{ text: columns.alertType }, ...group]}
        rows={summary.by_alert_type.map((one) => ({
          key: one.alert_type,
          cells: [
            one.alert_type === "" ? RARE_TEXT.usage.noType : one.alert_type,
            one.session_count.toLocaleString(),
            countText(one.total_tokens),
            ...costs(one.estimated_cost_usd, one.average_cost_usd),
          ],
        }))}
      />
      <DataTable
        caption={RARE_TEXT.usage.byChain}
        columns={[{ text: columns.chain }, ...group]}
        rows={summary.by_chain.map((one) => ({
          key: one.chain_id,
          cells: [
            one.chain_id,
            one.session_count.toLocaleString(),
            countText(one.total_tokens),
            ...costs(one.estimated_cost_usd, one.average_cost_usd),
          ],
        }))}
      />
      <div class="wide">
        <LargestSessions summary={summary} />
      </div>
    </div>
  );
}

function ModelName({ model }: { readonly model: UsageSummary["by_model"][number] }) {
  const { priced, unpriced_interaction_count: unpriced = 0 } = model;
  const note =
    priced === false ? RARE_TEXT.usage.noPrice : RARE_TEXT.usage.someUnpriced(unpriced.toLocaleString());
  return (
    <>
      {model.model_name}
      {unpriced > 0 && <span class="price-mark">{note}</span>}
    </>
  );
}

function LargestSessions({ summary }: { readonly summary: UsageSummary }) {
  const { columns } = RARE_TEXT.usage;
  const hasCosts = summary.cost_estimation_enabled;
  return (
    <DataTable
      caption={RARE_TEXT.usage.largest}
      columns={[
        { text: columns.session },
        { text: columns.chain },
        { text: columns.created },
        number(columns.tokens),
        ...(hasCosts ? [number(columns.cost)] : []),
      ]}
      rows={summary.top_sessions.map((session) => ({
        key: session.session_id,
        cells: [
          <a href={`/s/${session.session_id}`}>
            {shownText(session.alert_preview) ||
              `${session.alert_type ?? RARE_TEXT.usage.noType} ${shortId(session.session_id)}`}
          </a>,
          session.chain_id,
          <Moment time={session.created_at} />,
          countText(session.total_tokens),
          ...(hasCosts ? [<SessionCost session={session} />] : []),
        ],
      }))}
    />
  );
}

function SessionCost({ session }: { readonly session: UsageSummary["top_sessions"][number] }) {
  if (session.estimated_cost_usd === undefined) return <>–</>;
  return <Money usd={session.estimated_cost_usd} isComplete={session.cost_completeness === "complete"} />;
}
