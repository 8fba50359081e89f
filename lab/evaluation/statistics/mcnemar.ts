/** The two-sided p of McNemar's exact test: how likely pairs differ at least so unequally although neither is better. */
export function mcnemar(onlyFirst: number, onlySecond: number): number {
  const pairs = onlyFirst + onlySecond;
  let [ways, fewer] = [1, 0];
  for (let n = 0; n <= Math.min(onlyFirst, onlySecond); n += 1) {
    // Both factors are numbers up to the thousand cases of a suite.
    fewer += ways * 2 ** -pairs;
    ways = (ways * (pairs - n)) / (n + 1);
  }
  return Math.min(1, 2 * fewer);
}
