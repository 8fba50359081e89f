/** The first value of a list that has one; throws otherwise. */
export function firstOf<T>(values: readonly T[]): T {
  const [first] = values;
  if (first === undefined) throw new Error("the list is empty");
  return first;
}
