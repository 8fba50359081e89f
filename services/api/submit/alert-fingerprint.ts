import { TerminalError } from "#shared/errors.ts";

/** A JSON pointer (RFC 6901) as its unescaped tokens. */
export type JsonPointer = readonly string[];

/**
 * Reads `ALERT_FINGERPRINT_PATH`: JSON pointers separated by commas, e.g. `/fingerprint,/startsAt`; empty means none.
 * Throws TerminalError for what is no pointer.
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
 * What the alert calls itself: the texts and numbers that the pointers find in `data`. Undefined where `data` is no
 * JSON or lacks one of them: an alert without its fingerprint is an alert like any other.
 */
export function alertFingerprint(data: string, path: readonly JsonPointer[]): readonly string[] | undefined {
  if (path.length === 0) return undefined;
  const alert = parseJson(data);
  const found = path.map((pointer) => textAt(alert, pointer)).filter((text) => text !== undefined);
  return found.length === path.length ? found : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // alerts are opaque: most formats are no JSON
  }
}

function textAt(value: unknown, pointer: JsonPointer): string | undefined {
  let at = value;
  for (const token of pointer) {
    // Own members only: `/constructor/name` is in every object.
    at =
      typeof at === "object" && at !== null ? Object.getOwnPropertyDescriptor(at, token)?.value : undefined;
  }
  if (typeof at === "number") return String(at);
  return typeof at === "string" && at !== "" ? at : undefined;
}
