const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/iu;

/** Milliseconds since the epoch of a time as RFC 3339 writes it (`2026-01-31T12:00:00Z`); undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // The 31st of a shorter month would become the 1st of the next.
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? time : undefined;
}

const RFC_3339 =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:0\d|1[0-4]):[0-5]\d)$/u;

/** The rule for a time, for messages. */
export const TIME_FORM = "a time in RFC 3339, such as 2026-01-31T12:00:00Z";

/** True for a time in RFC 3339 on a day that there is, as Postgres reads it. */
export function isRfc3339(text: string): boolean {
  const { year, month, day } = RFC_3339.exec(text)?.groups ?? {};
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  return (
    y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(2000 + (y % 400), m, 0)).getUTCDate()
  );
}
