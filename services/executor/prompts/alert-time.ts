import { parseInstant } from "#shared/contracts/parse-instant.ts";

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
export function alertTime(data: string): Date | undefined {
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
