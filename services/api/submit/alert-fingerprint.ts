import { TerminalError } from "#shared/errors.ts";

/** The unescaped tokens of a JSON pointer (RFC 6901). */
export type JsonPointer = readonly string[];

/**
 * Parses `ALERT_FINGERPRINT_PATH`: JSON pointers separated by commas, e.g. `/fingerprint,/startsAt`; empty means none.
 * Throws TerminalError naming an invalid pointer.
 */
export function parseFingerprintPath(text: string): readonly JsonPointer[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const pointer = part.trim();
    if (!/^(?:\/(?:[^~/]|~[01])+)+$/u.test(pointer)) {
      throw new TerminalError(
        "invalid_environment",
        `environment variable ALERT_FINGERPRINT_PATH has '${pointer}': it must be JSON pointers separated by commas, e.g. /fingerprint or /groupKey`,
      );
    }
    return pointer
      .slice(1)
      .split("/")
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  });
}

/**
 * Returns the strings and numbers that the pointers find in `data`, which identify the alert. Undefined if `data` is not
 * JSON or any of them is missing: the alert then has no fingerprint.
 */
export function alertFingerprint(data: string, path: readonly JsonPointer[]): readonly string[] | undefined {
  if (path.length === 0) return undefined;
  const alert = parseJson(data);
  const texts = path.map((pointer) => textAt(alert, pointer)).filter((text) => text !== undefined);
  return texts.length === path.length ? texts : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // alert data is opaque: many formats are not JSON
  }
}

function textAt(value: unknown, pointer: JsonPointer): string | undefined {
  let at = value;
  for (const token of pointer) {
    // Own properties only: every object inherits `/constructor/name`.
    at =
      typeof at === "object" && at !== null ? Object.getOwnPropertyDescriptor(at, token)?.value : undefined;
  }
  if (typeof at === "number") return String(at);
  return typeof at === "string" && at !== "" ? at : undefined;
}
