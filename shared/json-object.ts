/** A JSON object whose members are unchecked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
