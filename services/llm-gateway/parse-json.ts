import { isObject, parseExactJson } from "#shared/exact-json.ts";

/** Deeper values overflow the stack when they are serialised again; real tool arguments are nowhere near this deep. */
const MAX_DEPTH = 200;

/** The JSON object in `text`; undefined if `text` is anything else or nested more than 200 levels deep. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * The beginning of a text that may be JSON: a text, a list, an object, or a number or a word that is all of it. Most results of tools
 * begin otherwise, and each failed attempt to parse one costs more than the rest of its message.
 */
const PERHAPS_JSON = /^\s*(?:["[{]|(?:-?\d[\d.eE+-]*|true|false|null)\s*$)/u;

/** The JSON value in `text`, as parseExactJson reads it; undefined if `text` is not JSON or nested more than 200 levels deep. */
export function parseJson(text: string): unknown {
  if (!PERHAPS_JSON.test(text)) return undefined;
  try {
    const value = parseExactJson(text);
    return isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
