/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964;

/** The 95 % interval of a proportion by Wilson, which holds for few trials too; 0 to 1 without any. */
export function wilsonInterval(passed: number, of: number): { readonly low: number; readonly high: number } {
  if (of === 0) return { low: 0, high: 1 };
  const rate = passed / of;
  const square = Z ** 2;
  const centre = rate + square / (2 * of);
  const half = Z * Math.sqrt((rate * (1 - rate)) / of + square / (4 * of ** 2));
  const scale = 1 + square / of;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}
