import { Type, type TEnum } from "#shared/generated/typebox/typebox.mjs";

/** Schema of "one of these strings"; the static type is derived from the same list. */
export function literals<const T extends readonly string[]>(values: readonly [...T]): TEnum<[...T]> {
  return Type.Enum<[...T]>(values);
}
