import { RARE_TEXT } from "../rare-text.ts";

const DAY_MS = 86_400_000;
/** As many as the api sums up at once. */
const MAX_DAYS = 365;

export const WINDOW_DAYS = [7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;

/** Days in UTC, such as `2026-01-31`; both are in the window. */
export interface UsageWindow {
  readonly from: string;
  readonly to: string;
}

/** The window that an address names by `from` and `to`; without them, or if they name none, the latest 30 days. */
export function readWindow(query: Readonly<Record<string, string>>, now: number): UsageWindow {
  const { from = "", to = "" } = query;
  const [first, last] = [startOf(from), startOf(to)];
  if (first === undefined || last === undefined) return latestDays(DEFAULT_DAYS, now);
  const isSound = first <= last && last - first < MAX_DAYS * DAY_MS;
  return isSound ? { from, to } : latestDays(DEFAULT_DAYS, now);
}

/** So many days, of which the last one is today. */
export function latestDays(days: number, now: number): UsageWindow {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) };
}

/** The window of the same length that ends where this one begins. */
export function windowBefore(window: UsageWindow): UsageWindow {
  const first = startOf(window.from) ?? 0;
  return { from: dayOf(first - daysOf(window).length * DAY_MS), to: dayOf(first - DAY_MS) };
}

/** How a sum differs from that of the time before; undefined where there was nothing. */
export function changeText(value: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round((value / before - 1) * 100);
  return RARE_TEXT.usage.figures.change(percent > 0 ? `+${percent}` : String(percent).replace("-", "−"));
}

/** The same as times for the api, the end exclusive. */
export function windowTimes({ from, to }: UsageWindow): { start_date: string; end_date: string } {
  return {
    start_date: `${from}T00:00:00Z`,
    end_date: `${dayOf((startOf(to) ?? 0) + DAY_MS)}T00:00:00Z`,
  };
}

/** Every day of the window, in order. */
export function daysOf({ from, to }: UsageWindow): readonly string[] {
  const first = startOf(from) ?? 0;
  const count = Math.round(((startOf(to) ?? first) - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

function startOf(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(day)) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // A 31st of a shorter month is another day.
  return Number.isNaN(time) || dayOf(time) !== day ? undefined : time;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
