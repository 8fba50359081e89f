import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { REDUCED_STAFFING } from "#shared/contracts/context-block.ts";
import { alertTime } from "./alert-time.ts";
import { plainName } from "./investigating-agent.ts";
import type { PromptInput } from "./prompt-input.ts";

/**
 * The present time as an agent is told it, with the kind of day in UTC, and the alert's own time if its text has one. Of the alert only
 * the time that was read is written, no part of its text. `findContextBlock` knows this form.
 */
export function contextBlock(
  now: Date,
  { holidays, alertData }: { readonly holidays: readonly Holiday[]; readonly alertData: string },
): string {
  const date = now.toISOString().slice(0, "2026-12-25".length);
  const day = now.toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  const holiday = holidays.find((each) => each.date === date || each.date === date.slice("2026-".length));
  const isWeekend = day === "Saturday" || day === "Sunday";
  const ordinary = isWeekend ? "WEEKEND" : "WEEKDAY";
  const kind = holiday === undefined ? ordinary : `GLOBAL_HOLIDAY (${plainName(holiday.name)})`;
  const began = alertTime(alertData);
  return [
    "## Context\n",
    `Current time: ${shown(now)} (${day})`,
    `Calendar context (UTC): ${date} — ${day} — ${kind}`,
    `Staffing: ${kind === "WEEKDAY" ? "normal" : REDUCED_STAFFING}`,
    ...(began === undefined
      ? []
      : [`Alert time: ${shown(began)} (${distance(began, now)} the current time)`]),
  ].join("\n");
}

/** The part of a user message with the present time; empty for a replay of a session that was not told it. It stands behind all that stays the same. */
export function contextSection({ context }: Pick<PromptInput, "context">): string[] {
  return context === null ? [] : [context];
}

/** To the second. */
function shown(time: Date): string {
  return `${time.toISOString().slice(0, "2026-12-25T08:00:00".length)}Z`;
}

const UNITS = [
  { name: "s", seconds: 1, until: 120 },
  { name: "min", seconds: 60, until: 7_200 },
  { name: "h", seconds: 3_600, until: 172_800 },
  { name: "days", seconds: 86_400, until: Infinity },
] as const;

function distance(time: Date, now: Date): string {
  const seconds = (Date.parse(shown(now)) - Date.parse(shown(time))) / 1_000;
  const passed = Math.abs(seconds);
  const unit = UNITS.find(({ until }) => passed < until) ?? UNITS[3];
  return `${Math.floor(passed / unit.seconds)} ${unit.name} ${seconds < 0 ? "after" : "before"}`;
}
