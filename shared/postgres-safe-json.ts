import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/**
 * Serialises a value to JSON text that jsonb accepts. Strings are replaced before they are serialised, because
 * afterwards a refused character is an escape sequence.
 */
export function postgresSafeJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? postgresSafeText(member).text : member,
  );
}
