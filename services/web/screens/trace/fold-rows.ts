import type { TraceRow } from "./trace-rows.ts";

/** So many equal calls in a row become one row. */
const MIN_FOLD = 3;
/** And at most so many. */
const MAX_FOLD = 500;

/**
 * The rows with runs of equal tool calls as one row each, which says how many they are. A run that has the row `chosen` stays open:
 * its row has the key of its first call, so that choosing it opens it.
 */
export function foldRows(rows: readonly TraceRow[], chosen: string | undefined): readonly TraceRow[] {
  const folded: TraceRow[] = [];
  for (let start = 0; start < rows.length;) {
    const end = endOfRun(rows, start);
    const run = rows.slice(start, end);
    const [first] = run;
    if (first !== undefined && run.length >= MIN_FOLD && !run.some(({ key }) => key === chosen)) {
      folded.push(foldOf(first, run));
    } else {
      folded.push(...run);
    }
    start = end;
  }
  return folded;
}

function endOfRun(rows: readonly TraceRow[], start: number): number {
  const [first, ...rest] = rows.slice(start, start + MAX_FOLD);
  if (first?.kind !== "mcp") return start + 1;
  const other = rest.findIndex((row) => !isEqualCall(first, row));
  return start + 1 + (other === -1 ? rest.length : other);
}

function isEqualCall(first: TraceRow, row: TraceRow): boolean {
  return (
    row.kind === "mcp" &&
    first.title === row.title &&
    first.did === row.did &&
    first.isFailed === row.isFailed
  );
}

function foldOf(first: TraceRow, run: readonly TraceRow[]): TraceRow {
  const end = Math.max(...run.map((row) => row.end));
  const failures = run.reduce((sum, { figures }) => sum + figures.failures, 0);
  return {
    ...first,
    count: run.length,
    end,
    segments: [{ kind: "tool", start: first.start, end }],
    figures: { ...first.figures, calls: run.length, failures },
  };
}
