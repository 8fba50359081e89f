import { postgresSafeValue } from "#shared/postgres-safe-value.ts";

/** Serialises a value to JSON text that jsonb accepts. */
export function postgresSafeJson(value: object): string {
  // The texts are replaced before they are serialised, because afterwards a refused character is an escape sequence.
  return JSON.stringify(postgresSafeValue(value));
}
