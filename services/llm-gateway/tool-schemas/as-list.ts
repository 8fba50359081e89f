/** A list as it is, a single value as a list of one, and nothing as an empty one. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
