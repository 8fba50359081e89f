import { TerminalError } from "#shared/errors.ts";
import { parsePointer, type JsonPointer } from "./json-pointer.ts";

/**
 * Parses `ALERT_FINGERPRINT_PATH`: JSON pointers separated by commas, e.g. `/fingerprint,/startsAt`; empty means none.
 * Throws TerminalError naming an invalid pointer.
 */
export function parseFingerprintPath(text: string): readonly JsonPointer[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const written = part.trim();
    const pointer = parsePointer(written);
    if (pointer !== undefined) return pointer;
    throw new TerminalError(
      "invalid_environment",
      `environment variable ALERT_FINGERPRINT_PATH has '${written}': it must be JSON pointers separated by commas, e.g. /fingerprint or /groupKey`,
    );
  });
}
