/** What is needed of a step. */
interface Comparable {
  readonly equal: boolean;
}

/** Steps one by one, or a run of equal steps that is shown as one line. */
type StepGroup<S> =
  | { readonly kind: "equal-run"; readonly first: number; readonly steps: readonly S[] }
  | { readonly kind: "step"; readonly first: number; readonly step: S };

/** Fewer equal steps than this are shown one by one. */
const MIN_RUN = 3;

/** Groups the runs of equal steps, because a reader looks for the others. `first` is the position of a group's first step. */
export function stepGroups<S extends Comparable>(steps: readonly S[]): readonly StepGroup<S>[] {
  const groups: StepGroup<S>[] = [];
  let position = 0;
  while (position < steps.length) {
    const from = position;
    const end = steps.findIndex(({ equal }, index) => index >= from && !equal);
    const run = steps.slice(position, end === -1 ? steps.length : end);
    if (run.length >= MIN_RUN) groups.push({ kind: "equal-run", first: position, steps: run });
    else groups.push(...run.map((step, index) => ({ kind: "step", first: from + index, step }) as const));
    position += run.length;
    const other = steps[position];
    if (other === undefined) break;
    groups.push({ kind: "step", first: position, step: other });
    position += 1;
  }
  return groups;
}
