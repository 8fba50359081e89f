import { isJsonObject } from "#shared/json-object.ts";

/** A number in JSON that a double cannot hold. `JSON.stringify` writes it as it was read. */
interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  // Node has it since 21; not yet in the compiler's libraries.
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * No number of a text without any of these can lose digits; most texts have none, and are parsed several times as fast then. Only the
 * beginning of a number counts: digits within a string, as of most UUIDs, would match, too.
 */
const PERHAPS_LONG = /(?<=(?:^|[\s[:,])-?)\d(?:[\d.]{15}|[\d.]*[eE])/u;

/** Parses JSON as `JSON.parse` does, but for numbers that a double cannot hold: these become ExactNumbers. */
export function parseExactJson(text: string): unknown {
  if (!PERHAPS_LONG.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, (_key, value, { source = "" }) =>
      typeof value === "number" && decimal(source) !== decimal(String(value)) ? JSON.rawJSON(source) : value,
    );
  } catch (error) {
    // Nested too deep for a function to be called with each value.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return JSON.isRawJSON(value);
}

/** True for a JSON object: neither null, nor an array, nor a number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) && !isExactNumber(value);
}

/** The value with the nearest double in the place of each ExactNumber, and itself if there is none or it is nested too deep to look. */
export function withPlainNumbers(value: unknown): unknown {
  try {
    return plainNumbers(value);
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
}

function plainNumbers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isExactNumber(value)) {
    const { MAX_VALUE } = Number;
    return Math.min(MAX_VALUE, Math.max(-MAX_VALUE, Number(value.rawJSON)));
  }
  if (Array.isArray(value)) {
    const given: readonly unknown[] = value;
    const items = given.map(plainNumbers);
    return items.some((item, index) => item !== given[index]) ? items : given;
  }
  const given: [string, unknown][] = Object.entries(value);
  const members = given.map(([key, member]) => [key, plainNumbers(member)] as const);
  return members.some(([, member], index) => member !== given[index]?.[1])
    ? Object.fromEntries(members)
    : value;
}

/** A decimal number in one form: its sign, its digits without zeros at either end, and its power of ten. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/u, "");
  const significant = digits.replace(/0+$/u, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}
