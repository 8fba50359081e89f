import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { REDUCED_STAFFING } from "#shared/contracts/context-block.ts";
import { plainName } from "./investigating-agent.ts";
import type { PromptInput } from "./prompt-input.ts";
import { parseInstant } from "#shared/contracts/parse-instant.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * The present time for an agent, with the kind of day in UTC, and the alert's own time if its text has one. Of the
 * alert only the time that was read is written, no part of its text. `findContextBlock` knows this form.
 */
export function contextBlock(
  now: Date,
  { holidays, alertData }: { readonly holidays: readonly Holiday[]; readonly alertData: string },
): string {
  const date = now.toISOString().slice(0, "2026-12-25".length);
  const day = WEEKDAYS[now.getUTCDay()] ?? "";
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

/**
 * The part of a user message with the present time; empty for a replay of a session without it. It follows everything
 * that stays the same.
 */
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

/** Names of fields in which monitoring systems write when an alert began or was sent, the most telling first. */
const FIELDS = [
  ["startsAt", "starts_at"],
  ["activeAt", "active_at"],
  ["firedAt", "fired_at"],
  ["triggeredAt", "triggered_at"],
  ["occurredAt", "occurred_at"],
  ["detectedAt", "detected_at"],
  ["startTime", "start_time"],
  ["eventTime", "event_time"],
  ["createdAt", "created_at"],
  ["timestamp", "@timestamp"],
  ["time"],
] as const;

/** An alert may have megabytes; its own fields stand at its beginning. */
const MAX_CHARACTERS = 65_536;
/** Zero values of programs, such as 0001-01-01 and 1970-01-01, lie before. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
/** Numbers below are seconds, above milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** A field and its value in JSON, also within a JSON text, in YAML, or in lines such as `key: value` and `key=value`. Each part is bounded. */
const FIELD = new RegExp(
  String.raw`(?<![\w.@-])(?<field>${FIELDS.flat().join("|")})\\?["']?[ \t]{0,8}[:=]\s{0,8}\\?["']?` +
    String.raw`(?:(?<instant>\d{4}-\d{2}-\d{2}T[\d:.]{8,18}(?:Z|[+-]\d{2}:\d{2}))|(?<number>\d{9,13}(?:\.\d{1,9})?))(?![\w.:-])`,
  "giu",
);

/**
 * When the alert began, or was sent, as its text says: the earliest time of the most telling field, as a time of RFC 3339 or a number of
 * seconds or milliseconds since the epoch. Undefined if no such field has a time.
 */
function alertTime(data: string): Date | undefined {
  const earliest = new Map<string, number>();
  for (const { groups } of data.slice(0, MAX_CHARACTERS).matchAll(FIELD)) {
    const { field = "", instant, number } = groups ?? {};
    const ms = instant === undefined ? millisecondsOf(Number(number)) : parseInstant(instant);
    if (ms === undefined || ms < EARLIEST_MS) continue;
    const name = field.toLowerCase();
    earliest.set(name, Math.min(ms, earliest.get(name) ?? Infinity));
  }
  for (const names of FIELDS) {
    const times = names.flatMap((name) => earliest.get(name.toLowerCase()) ?? []);
    if (times.length > 0) return new Date(Math.min(...times));
  }
  return undefined;
}

function millisecondsOf(number: number): number {
  return number < FIRST_MILLISECONDS ? number * 1_000 : number;
}
