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
