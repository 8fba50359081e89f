/**
 * True for a text that can be the name of a caller. White space and invisible characters name no one: everyone who has them would be one
 * and the same. The library that checks tokens asks only that a claim is there.
 */
export function namesSomeone(value: unknown): value is string {
  return typeof value === "string" && /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(value);
}
