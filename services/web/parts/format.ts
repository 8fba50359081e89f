import { fullTimeText, timeText } from "#shared/client/time-text.ts";
import { TEXT } from "../text.ts";
import { zone } from "./zone.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration with its two largest units: `340 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toString()} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, [MINUTE, "min"], [SECOND, "s"]);
  if (ms < DAY) return twoUnits(ms, [HOUR, "h"], [MINUTE, "min"]);
  return twoUnits(ms, [DAY, "d"], [HOUR, "h"]);
}

function twoUnits(ms: number, [large, name]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((ms % large) / small);
  const first = `${Math.floor(ms / large)} ${name}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** How long ago a time is, in one unit: `just now`, `3 min ago`. */
export function ageText(ms: number): string {
  if (ms < 10 * SECOND) return TEXT.units.justNow;
  if (ms < MINUTE) return TEXT.units.ago(`${Math.floor(ms / SECOND)} s`);
  if (ms < HOUR) return TEXT.units.ago(`${Math.floor(ms / MINUTE)} min`);
  if (ms < DAY) return TEXT.units.ago(`${Math.floor(ms / HOUR)} h`);
  return TEXT.units.ago(`${Math.floor(ms / DAY)} d`);
}

/** A time in the chosen zone, with its age for a day: `14:02 · 3 min ago`, `Nov 22, 14:02`; a coming one has no age. */
export function momentText(time: number, now: number): string {
  const text = timeText(time, now, zone.value);
  // Clocks differ by seconds.
  return now - time < DAY && now - time > -MINUTE ? `${text} · ${ageText(now - time)}` : text;
}

/** A time with its second and zone, as a tooltip or among facts has it. */
export function exactTimeText(time: number): string {
  return fullTimeText(time, zone.value);
}

/** A number of tokens in at most four characters: `940`, `1.2k`, `38k`, `1.4M`. */
export function countText(count: number): string {
  if (count < 1_000) return String(count);
  // 999,950 would be rounded to 1000k.
  if (count < 999_500) return `${scaled(count / 1_000)}k`;
  return `${scaled(count / 1_000_000)}M`;
}

function scaled(value: number): string {
  return value < 9.95 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

/** Dollars with cents, or with two significant digits below ten cents. */
export function moneyText(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 0.1) return `$${usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(2)).toFixed(Math.min(8, 1 - Math.floor(Math.log10(usd))))}`;
}

/** A session's id in a list: its last digits. The first are the time, which the sessions of a minute share. */
export function shortId(id: string): string {
  return id.slice(-8);
}
