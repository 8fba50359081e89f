/** A quantile (0 to 1) of numbers in any order, linear between neighbours; null for none. */
export function quantile(values: readonly number[], at: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * at;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (position - Math.floor(position));
}
