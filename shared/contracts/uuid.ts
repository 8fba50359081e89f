import { Type } from "typebox";

/** Lower or upper case, hyphenated; the only form that may become part of a bus subject. */
export const UUID_PATTERN = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";

/** Schema of an id in any contract. */
export const Uuid = Type.String({ pattern: UUID_PATTERN });

const uuid = new RegExp(UUID_PATTERN, "u");

/** True for a hyphenated UUID of any version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
