declare global {
  /** The newest functions of JSON, which TypeScript does not know yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(source: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Deeper values overflow the stack when they are serialised again; real tool arguments are nowhere near this deep. */
const MAX_DEPTH = 200;

/** The JSON object in `text`; undefined if `text` is anything else or nested more than 200 levels deep. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** A number that a double may not hold: 16 digits or more, or an exponent. */
const LONG_NUMBER = /\d(?:\.?\d){15}|\d[eE]/u;

/**
 * The JSON value in `text`; undefined if `text` is not JSON or nested more than 200 levels deep. A number that a double would
 * round is an object that JSON.stringify writes with all its digits, and that `rawNumber` reads.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
    return isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function exactly(_key: string, value: unknown, { source = "" }: { readonly source?: string }): unknown {
  return typeof value === "number" && isRounded(value, source) ? JSON.rawJSON(source) : value;
}

function isRounded(value: number, source: string): boolean {
  const digits = source
    .replace(/[eE].*$/u, "")
    .replaceAll(/\D/gu, "")
    .replace(/^0+/u, "");
  return !Number.isFinite(value) || (digits.length > 15 && String(value) !== source);
}

/** The digits of a number that parseJson has kept as text; undefined for any other value. */
export function rawNumber(value: unknown): string | undefined {
  return JSON.isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
