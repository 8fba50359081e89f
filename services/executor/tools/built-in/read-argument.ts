/** An argument as text; empty for one that is missing or is none. A model may write a text as a number or a boolean. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** An argument as a whole number, which may be written as text, as ReAct agents do; null for anything but a safe integer. */
export function integerOf(value: unknown, absent: number): number | null {
  if (value === undefined || value === null || value === "") return absent;
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}
