const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/iu;

/** Milliseconds since the epoch of a time as RFC 3339 writes it (`2026-01-31T12:00:00Z`); undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // The 31st of a shorter month would become the 1st of the next.
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? time : undefined;
}
