import { Type } from "typebox";

/** Schema of "one of these strings", from the list that also gives the type. */
export function literals<T extends string>(values: readonly T[]) {
  return Type.Union(values.map((value) => Type.Literal(value)));
}
