const INTEGER = /^[+-]?\d{1,17}$/u;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/u;
/** Longer numbers stay text. */
const MAX_NUMBER_LENGTH = 400;

/**
 * Parses `key: value` or `key=value` pairs, separated by line breaks or commas. Returns undefined unless every part is
 * a pair whose key is not empty and has no whitespace, and for broken JSON, whose braces would become part of a key.
 */
export function parseKeyValueInput(text: string): Record<string, unknown> | undefined {
  if (text.startsWith("{") || text.startsWith("[")) return undefined;
  const pairs: [string, unknown][] = [];
  for (const part of text.split(/[\n,]/u)) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const colon = trimmed.indexOf(":");
    const at = colon === -1 ? trimmed.indexOf("=") : colon;
    const key = unquote(trimmed.slice(0, Math.max(at, 0)).trim());
    if (key === "" || /\s/u.test(key)) return undefined;
    pairs.push([key, coerce(trimmed.slice(at + 1).trim())]);
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** The value of a text: true, false, null, a number, or the text without the quotes around it. */
function coerce(text: string): unknown {
  const unquoted = unquote(text);
  if (unquoted !== text) return unquoted;
  switch (text.length > 5 ? "" : text.toLowerCase()) {
    case "true":
      return true;
    case "false":
      return false;
    case "null":
    case "none":
      return null;
    default:
      return coerceNumber(text);
  }
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

function coerceNumber(text: string): unknown {
  if (text.length > MAX_NUMBER_LENGTH) return text;
  const value = Number(text);
  // Number("") is 0; an integer that a double cannot represent would be rounded.
  if (INTEGER.test(text)) return Number.isSafeInteger(value) ? value : text;
  return FLOAT.test(text) && /[.eE]/u.test(text) && Number.isFinite(value) ? value : text;
}
