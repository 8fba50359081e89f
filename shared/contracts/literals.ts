import { Type, type TEnum } from "typebox";

/** Schema of "one of these strings", from the list that also gives the type. */
export function literals<const T extends readonly string[]>(values: readonly [...T]): TEnum<[...T]> {
  return Type.Enum<[...T]>(values);
}
