import { isExactNumber, parseExactJson } from "#shared/exact-json.ts";

/** Serialising deeper values overflows the stack. Real inputs are far shallower. */
const MAX_DEPTH = 200;

/** The value of a JSON text; undefined if it is not JSON or is nested more than 200 levels deep. */
export function parseJsonInput(text: string): { value: unknown } | undefined {
  if (!isShallow(text)) return undefined;
  try {
    return { value: toJsonValue(parseExactJson(text)) };
  } catch {
    return undefined;
  }
}

/**
 * Copies a parsed value into one that JSON can represent: numbers that are not finite become text, and values without
 * a JSON form become null. Numbers that a double cannot hold stay exact, or become text if Postgres cannot hold them either. Throws a RangeError if the value is nested more than 200 levels deep.
 */
export function toJsonValue(value: unknown, depth = 0): unknown {
  if (isExactNumber(value)) return isStorable(value.rawJSON) ? value : value.rawJSON;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "object") return null;
  if (depth >= MAX_DEPTH) throw new RangeError(`the input is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => toJsonValue(item, depth + 1));
  // fromEntries keeps __proto__ as an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item, depth + 1)]));
}

/** Whether a number is in the range of Postgres' `numeric`, with room to spare. */
function isStorable(number: string): boolean {
  const power = Number(/[eE](.+)$/u.exec(number)?.[1] ?? 0);
  return number.length + Math.abs(power) <= 10_000;
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside strings before parsing: deeper text could exhaust the stack of the parser. */
function isShallow(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return true;
}
