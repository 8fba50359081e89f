/** The mean of numbers and their standard deviation (of a sample; 0 for a single one); null for none. */
export function mean(values: readonly number[]): { readonly mean: number; readonly sd: number } | null {
  if (values.length === 0) return null;
  const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean: centre, sd: 0 };
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return { mean: centre, sd: Math.sqrt(squares / (values.length - 1)) };
}
