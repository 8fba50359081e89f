const MAX_NAMED = 5;

/** Throws unless every accepted unit, and no other one, was done exactly once. The error names the first few wrong ones. */
export function assertDoneOnce(
  accepted: ReadonlySet<string>,
  timesDone: ReadonlyMap<string, number>,
  system: string,
): void {
  const lost = [...accepted].filter((id) => (timesDone.get(id) ?? 0) === 0);
  const doubled = [...timesDone].filter(([, times]) => times > 1).map(([id]) => id);
  const unknown = [...timesDone.keys()].filter((id) => !accepted.has(id));
  const wrong = [
    ["lost", lost],
    ["done more than once", doubled],
    ["never accepted", unknown],
  ] as const;
  const found = wrong.filter(([, ids]) => ids.length > 0);
  if (found.length === 0) return;
  const list = found.map(([what, ids]) => `${ids.length} ${what} (${ids.slice(0, MAX_NAMED).join(", ")})`);
  throw new Error(`${system}: of ${accepted.size} units of work, ${list.join("; ")}`);
}
