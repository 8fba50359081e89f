/** The SQL of an instant as ISO 8601 text in UTC with milliseconds, as events and responses have it; null stays null. */
export function isoText(instant: string): string {
  return `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
