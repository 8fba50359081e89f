const MAX_DEPTH = 3;
const MAX_KEYS = 12;
const MAX_KEY_CHARS = 40;
const MAX_SHAPE_CHARS = 400;

/**
 * The shape of a JSON text, in one short line such as `{kind: string, items: [300 × {metadata, spec}]}`; null for any other
 * text and for one that is a single value.
 */
export function jsonShape(text: string): string | null {
  if (!/^\s*[[{]/u.test(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const shape = describe(value, 1);
  return shape.length <= MAX_SHAPE_CHARS ? shape : `${shape.slice(0, MAX_SHAPE_CHARS).toWellFormed()}…`;
}

function describe(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return depth > MAX_DEPTH ? `[${value.length}]` : `[${value.length} × ${describe(value[0], depth + 1)}]`;
  }
  if (typeof value !== "object") return typeof value;
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, inner]) =>
      depth >= MAX_DEPTH ? shorten(key) : `${shorten(key)}: ${describe(inner, depth + 1)}`,
    );
  if (entries.length > MAX_KEYS) shown.push(`… ${entries.length - MAX_KEYS} more`);
  return `{${shown.join(", ")}}`;
}

function shorten(key: string): string {
  const line = key.replaceAll(/\s+/gu, " ");
  return line.length > MAX_KEY_CHARS ? `${line.slice(0, MAX_KEY_CHARS).toWellFormed()}…` : line;
}
