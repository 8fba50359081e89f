import type { ComponentChildren } from "preact";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { dayText } from "#shared/client/time-text.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { countText, durationText, moneyText } from "../../parts/format.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { DurationPlot } from "./duration-plot.tsx";
import { durationsOf, groupSeries, outcomeSeries, type Series } from "./plot-series.ts";
import { ColumnPlot } from "./plot.tsx";

interface UsagePlotsProps {
  readonly daily: ApiResponse<"GET /api/v1/usage/days">;
  readonly days: readonly string[];
}

const count = (value: number) => value.toLocaleString();

function groupName(name: string | null): string {
  if (name === null) return RARE_TEXT.usage.others;
  return name === "" ? RARE_TEXT.usage.noType : name;
}

function outcomeName(name: string | null): string {
  const names: Readonly<Record<string, string>> = RARE_TEXT.usage.outcomes;
  return names[name ?? ""] ?? groupName(name);
}

/** Cost, tokens, outcomes and durations by day, each with the same values in tables. */
export function UsagePlots({ daily, days }: UsagePlotsProps) {
  const { plots } = RARE_TEXT.usage;
  const cost = groupSeries(daily, days, "cost");
  return (
    <div class="usage-plots">
      {cost.length > 0 && (
        <Columns
          title={plots.cost}
          days={days}
          series={cost}
          format={moneyText}
          nameOf={groupName}
          palette="group"
        />
      )}
      <Columns
        title={plots.tokens}
        days={days}
        series={groupSeries(daily, days, "tokens")}
        format={countText}
        nameOf={groupName}
        palette="group"
      />
      <Columns
        title={plots.outcomes}
        days={days}
        series={outcomeSeries(daily, days)}
        format={count}
        nameOf={outcomeName}
        palette="outcome"
      />
      <Durations daily={daily} days={days} />
    </div>
  );
}

interface UsageColumnsProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly nameOf: (name: string | null) => string;
  readonly palette: "group" | "outcome";
}

function Columns({ title, days, series, format, nameOf, palette }: UsageColumnsProps) {
  const { columns } = RARE_TEXT.usage;
  const all = series.reduce((sum, { total }) => sum + total, 0);
  const used = days.flatMap((day, index) =>
    series.some(({ values }) => (values[index] ?? 0) > 0) ? [{ day, index }] : [],
  );
  return (
    <Panel title={title}>
      <ColumnPlot {...{ title, days, series, format, nameOf, palette }} />
      <DataTable
        caption={title}
        hidesCaption
        columns={[
          { text: title },
          { text: columns.total, isNumber: true },
          { text: columns.share, isNumber: true },
        ]}
        rows={series.map(({ name, colour, total }) => ({
          key: String(name),
          cells: [
            <>
              <span class={`swatch ${palette}-${colour}`} aria-hidden="true" /> {nameOf(name)}
            </>,
            format(total),
            share(total, all),
          ],
        }))}
      />
      <DayTable
        title={title}
        columns={series.map(({ name }) => nameOf(name))}
        rows={used.map(({ day, index }) => ({
          day,
          cells: series.map(({ values }) => format(values[index] ?? 0)),
        }))}
      />
    </Panel>
  );
}

function share(part: number, all: number): string {
  return all === 0 ? "" : `${Math.round((part / all) * 100)}%`;
}

function Durations({ daily, days }: UsagePlotsProps) {
  const { plots, durations: names } = RARE_TEXT.usage;
  const durations = durationsOf(daily, days);
  const known = days.flatMap((day, index) => {
    const duration = durations[index];
    return duration === null || duration === undefined ? [] : [{ day, duration }];
  });
  if (known.length === 0) return null;
  return (
    <Panel title={plots.durations}>
      <DurationPlot title={plots.durations} days={days} durations={durations} />
      <p class="plot-legend small">
        <span>
          <span class="swatch median" aria-hidden="true" /> {names.median}
        </span>
        <span>
          <span class="swatch p95" aria-hidden="true" /> {names.p95}
        </span>
      </p>
      <DayTable
        title={plots.durations}
        columns={[names.median, names.p95]}
        rows={known.map(({ day, duration }) => ({
          day,
          cells: [durationText(duration.median), durationText(duration.p95)],
        }))}
      />
    </Panel>
  );
}

function Panel({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="usage-panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface DayTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly day: string; readonly cells: readonly string[] }[];
}

function DayTable({ title, columns, rows }: DayTableProps) {
  return (
    <details class="day-values small">
      <summary>{RARE_TEXT.usage.dayValues}</summary>
      <DataTable
        caption={`${title}: ${RARE_TEXT.usage.dayValues}`}
        hidesCaption
        columns={[
          { text: RARE_TEXT.usage.columns.day },
          ...columns.map((text) => ({ text, isNumber: true })),
        ]}
        rows={rows.map(({ day, cells }) => ({ key: day, cells: [dayText(day), ...cells] }))}
      />
    </details>
  );
}
