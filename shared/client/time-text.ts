/** The zone that times are shown in: the reader's own one, or UTC. */
export type TimeZone = "local" | "utc";

interface Formats {
  readonly clock: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly year: Intl.DateTimeFormat;
  readonly full: Intl.DateTimeFormat;
}

const made: Partial<Record<TimeZone, Formats>> = {};

/** The formats of a zone, which are made when they are first needed: the api, which imports them, shows no time until then. */
function formatsOf(zone: TimeZone): Formats {
  return (made[zone] ??= makeFormats(zone === "utc" ? "UTC" : undefined));
}

function makeFormats(timeZone: string | undefined): Formats {
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const day = { month: "short", day: "numeric" } as const;
  // One locale, because the texts around the times are English.
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-US", timeZone === undefined ? options : { ...options, timeZone });
  return {
    clock: format(clock),
    day: format(day),
    year: format({ ...day, year: "numeric" }),
    full: format({ ...day, ...clock, year: "numeric", second: "2-digit", timeZoneName: "short" }),
  };
}

/** A time as page and terminal show it: today `13:35`, on other days `Nov 26, 13:35`, in other years `Nov 26, 2025, 13:35`. */
export function timeText(time: number, now: number, zone: TimeZone): string {
  const { clock, day, year } = formatsOf(zone);
  const at = clock.format(time);
  if (year.format(time) === year.format(now)) return at;
  const isThisYear = year.format(time).slice(-4) === year.format(now).slice(-4);
  return `${(isThisYear ? day : year).format(time)}, ${at}`;
}

/** A time with its second and its zone: `Nov 26, 2026, 13:35:29 UTC`. */
export function fullTimeText(time: number, zone: TimeZone): string {
  return formatsOf(zone).full.format(time);
}

/** A day in UTC, given as `2026-11-26`: `Nov 26`. */
export function dayText(day: string): string {
  const time = Date.parse(day);
  return Number.isNaN(time) ? day : formatsOf("utc").day.format(time);
}

/** The name of the zone at a time: `UTC`, `GMT+1`. */
export function zoneName(time: number, zone: TimeZone): string {
  const parts = formatsOf(zone).full.formatToParts(time);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "UTC";
}
