const VERSION = /^(\d+)\.(\d+)\.(\d+)$/u;

/** What is wrong with a version to release in a checkout of the version `current`, which may be it; undefined if nothing is. */
export function checkVersion(version: string, current: string): string | undefined {
  const wanted = VERSION.exec(version);
  if (wanted === null) return `VERSION is "${version}": it must be three numbers, such as 1.4.0`;
  const present = VERSION.exec(current);
  const isPossible = present === null || compare(wanted, present) >= 0;
  return isPossible
    ? undefined
    : `VERSION is "${version}": it must not be lower than that of package.json, ${current}`;
}

function compare(one: RegExpExecArray, other: RegExpExecArray): number {
  const differences = [1, 2, 3].map((part) => Number(one[part]) - Number(other[part]));
  return differences.find((difference) => difference !== 0) ?? 0;
}
