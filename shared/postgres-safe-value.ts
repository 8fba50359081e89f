import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/**
 * Replaces what jsonb refuses in every text of a value, keys included; of two keys that become equal the last one wins.
 * Returns the value itself if there is nothing to replace, otherwise a copy. It recurses as deep as JSON.stringify.
 */
export function postgresSafeValue<T>(value: T): T;
export function postgresSafeValue(value: unknown): unknown {
  return isSafe(value) ? value : safeCopy(value);
}

/** Nearly every value is safe: it is only read, which costs a third. */
function isSafe(value: unknown): boolean {
  if (typeof value === "string") return !postgresSafeText(value).changed;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSafe);
  return Object.keys(value).every((key) => isSafe(key) && isSafe(Reflect.get(value, key)));
}

function safeCopy(value: unknown): unknown {
  if (typeof value === "string") return postgresSafeText(value).text;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const given: readonly unknown[] = value;
    const items = given.map(safeCopy);
    return items.some((item, index) => item !== given[index]) ? items : given;
  }
  let changed = false;
  const members = Object.entries(value).map(([key, member]: [string, unknown]) => {
    const safe = [postgresSafeText(key).text, safeCopy(member)] as const;
    changed ||= safe[0] !== key || safe[1] !== member;
    return safe;
  });
  // fromEntries keeps __proto__ as an ordinary key.
  return changed ? Object.fromEntries(members) : value;
}
