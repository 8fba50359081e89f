/** A value of which only the parts that are valid are left; see `loosen`. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> }
    : T;

/**
 * The same schema without what demands presence, so that a file with mistakes can still be searched for more:
 * whatever is wrong was taken out, whatever is missing stays missing. Returns a plain JSON schema.
 */
export function loosen(schema: unknown): object {
  return asObject(stripped(schema));
}

function stripped(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripped);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !(keyword === "required" && Array.isArray(value)) && keyword !== "minItems",
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, stripped(value)]));
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
