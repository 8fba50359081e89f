const TIME =
  /(?<date>\d{4}-\d{2}-\d{2})[T ](?<time>\d{2}:\d{2}:\d{2})(?:[.,](?<fraction>\d{1,9}))?(?<zone>Z|[+-]\d{2}:?\d{2})?/gu;
/** As `kubectl describe` writes it. */
const WRITTEN_TIME = /[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}/gu;

/** The newest time in texts, not after the instant `end`, in RFC 3339 in UTC; undefined if there is none. A time without a zone is UTC. */
export function newestTime(texts: Iterable<string>, end: string): string | undefined {
  let newest = 0;
  const last = Date.parse(end) * 1_000;
  for (const text of texts) {
    for (const at of timesIn(text)) {
      // Not a time, such as the 45th of a month: NaN is not greater.
      if (at > newest && at <= last) newest = at;
    }
  }
  if (newest === 0) return undefined;
  const micros = newest % 1_000_000;
  const fraction = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`;
  return `${new Date(Math.floor(newest / 1_000)).toISOString().slice(0, 19)}${fraction}+00:00`;
}

/** In microseconds since the epoch: a double holds them until the year 2255. */
function* timesIn(text: string): Generator<number, void> {
  for (const { groups } of text.matchAll(TIME)) {
    const { date = "", time = "", fraction = "", zone = "Z" } = groups ?? {};
    const seconds = Date.parse(`${date}T${time}${zone}`);
    yield seconds * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
  }
  for (const [written] of text.matchAll(WRITTEN_TIME)) yield Date.parse(written) * 1_000;
}
