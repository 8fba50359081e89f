/** The candidate nearest to `name`, or one that only has a word more; undefined if none is near enough to be a misspelling. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates];
  return nearestSpelling(name, names) ?? names.find((candidate) => candidate.startsWith(`${name}_`));
}

function nearestSpelling(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const length = Math.max(name.length, candidate.length);
    if (length > 100 || Math.abs(name.length - candidate.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The allowed names as a hint, the nearest one first: `did you mean react? allowed: react, …`. */
export function suggestName(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const list = names.length === 0 ? "there is none" : `allowed: ${names.slice(0, 30).sort().join(", ")}`;
  return nearest === undefined ? list : `did you mean ${nearest}? ${list}`;
}

/** Counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const replaced = (last[j - 1] ?? 0) + cost;
      let least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
