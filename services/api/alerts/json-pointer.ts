/** The unescaped tokens of a JSON pointer (RFC 6901). */
export type JsonPointer = readonly string[];

/** Parses a JSON pointer such as `/alerts/0/fingerprint`; undefined for a text that is none, and for the whole document. */
export function parsePointer(text: string): JsonPointer | undefined {
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/u.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The decoded JSON text; undefined if it is none. */
export function parseJsonText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // alert data is opaque: many formats are not JSON
  }
}

/** The value at the pointer; undefined if there is none. */
export function valueAt(value: unknown, pointer: JsonPointer): unknown {
  let at = value;
  for (const token of pointer) {
    // Own properties only: every object inherits `/constructor/name`.
    at =
      typeof at === "object" && at !== null ? Object.getOwnPropertyDescriptor(at, token)?.value : undefined;
  }
  return at;
}

/** The text or number at the pointer, as text; undefined if there is none. */
export function textAt(value: unknown, pointer: JsonPointer): string | undefined {
  const at = valueAt(value, pointer);
  if (typeof at === "number") return String(at);
  return typeof at === "string" && at !== "" ? at : undefined;
}

/** The texts at all of the pointers; undefined if any is missing. */
export function textsAt(value: unknown, pointers: readonly JsonPointer[]): readonly string[] | undefined {
  const texts = pointers.map((pointer) => textAt(value, pointer)).filter((text) => text !== undefined);
  return texts.length === pointers.length ? texts : undefined;
}
