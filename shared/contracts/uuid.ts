import { Type } from "#shared/generated/typebox/typebox.mjs";

/** Lower or upper case, hyphenated; the only form allowed in a bus subject. */
export const UUID_PATTERN = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";

/** Schema of every id in the contracts. */
export const Uuid = Type.String({ pattern: UUID_PATTERN });

const uuid = new RegExp(UUID_PATTERN, "u");

/** True for a hyphenated UUID of any version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
