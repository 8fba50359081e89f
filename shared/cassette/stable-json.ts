/** JSON text in which the members of every object are sorted by name, so that equal values give equal texts. */
export function stableJson(value: unknown): string {
  return (
    JSON.stringify(value, (_name, member: unknown) => (isRecord(member) ? sorted(member) : member)) ?? "null"
  );
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(record);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
