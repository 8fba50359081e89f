import { useLocation } from "preact-iso/router";
import { useKeys } from "../../keys.ts";
import { now } from "../../parts/clock.ts";
import { withQuery } from "../../parts/query.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { TEXT } from "../../text.ts";
import { Budgets } from "./budgets.tsx";
import { UsageControls } from "./usage-controls.tsx";
import { UsageFigures } from "./usage-figures.tsx";
import { UsagePlots } from "./usage-plots.tsx";
import { UsageTables } from "./usage-tables.tsx";
import { daysOf, latestDays, readWindow, WINDOW_DAYS } from "./usage-window.ts";
import { GROUPS, useUsage } from "./use-usage.ts";
import "./usage-screen.css";

/** What sessions have used; the address has the window (`from`, `to`), the colours (`by`) and the filters (`type`, `chain`). */
export function UsageScreen() {
  useTitle(TEXT.titles.usage);
  const { url, query, route } = useLocation();
  const today = now.peek();
  const window = readWindow(query, today);
  const by = GROUPS.find((name) => name === query["by"]) ?? "alert_type";
  const [alertType, chain] = [query["type"] || undefined, query["chain"] || undefined];
  const remote = useUsage({ window, by, alertType, chain });
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    route(withQuery(url, changes), true);
  const days = daysOf(window);
  const showDays = (count: number) => change({ ...latestDays(count, today) });
  const { keys } = RARE_TEXT.usage;
  useKeys({
    "[": [
      keys.shorter,
      () => showDays(WINDOW_DAYS.findLast((count) => count < days.length) ?? WINDOW_DAYS[0]),
    ],
    "]": [keys.longer, () => showDays(WINDOW_DAYS.find((count) => count > days.length) ?? WINDOW_DAYS[3])],
    b: [keys.by, () => change({ by: GROUPS[(GROUPS.indexOf(by) + 1) % GROUPS.length] })],
  });
  const { value } = remote;
  return (
    <div class={`usage-screen ${remote.isLoading ? "loading" : ""}`}>
      <h1>{TEXT.titles.usage}</h1>
      <UsageControls
        window={window}
        by={by}
        alertType={alertType}
        chain={chain}
        onDays={showDays}
        onChange={change}
        isLatest={(count) => sameWindow(window, latestDays(count, today))}
      />
      <RemoteState remote={remote} />
      {value !== undefined && <Budgets budgets={value.summary.budgets} />}
      {value !== undefined && value.summary.totals.session_count === 0 && (
        <p class="soft empty">{RARE_TEXT.usage.empty}</p>
      )}
      {value !== undefined && value.summary.totals.session_count > 0 && (
        <>
          <UsageFigures summary={value.summary} daily={value.daily} earlier={value.earlier} />
          <UsagePlots daily={value.daily} days={days} />
          <UsageTables summary={value.summary} />
        </>
      )}
      <p class="soft small">{RARE_TEXT.usage.utc}</p>
    </div>
  );
}

function sameWindow(a: { from: string; to: string }, b: { from: string; to: string }): boolean {
  return a.from === b.from && a.to === b.to;
}
