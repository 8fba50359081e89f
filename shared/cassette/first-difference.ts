import { isJsonObject } from "#shared/json-object.ts";

/** The first place in which two JSON values differ. */
interface JsonDifference {
  /** RFC 6901; empty for the whole value. */
  readonly pointer: string;
  /** Undefined where there is no such member. */
  readonly left: unknown;
  readonly right: unknown;
}

/**
 * The first difference of two JSON values; null if they are equal. Members of objects are compared in the order of their names,
 * in any order, elements of lists in theirs.
 */
export function firstDifference(left: unknown, right: unknown, pointer = ""): JsonDifference | null {
  if (Object.is(left, right)) return null;
  if (Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    for (let index = 0; index < length; index += 1) {
      const found = firstDifference(left[index], right[index], `${pointer}/${index}`);
      if (found !== null) return found;
    }
    return null;
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted();
    for (const name of names) {
      const found = firstDifference(left[name], right[name], `${pointer}/${escaped(name)}`);
      if (found !== null) return found;
    }
    return null;
  }
  return { pointer, left, right };
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
