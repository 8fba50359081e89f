import type { TraceRow } from "./trace-rows.ts";

/** So many equal calls in a row become one row. */
const MIN_FOLD = 3;

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
  const first = rows[start];
  let end = start + 1;
  while (first?.kind === "mcp" && isEqualCall(first, rows[end])) end += 1;
  return end;
}

function isEqualCall(first: TraceRow, row: TraceRow | undefined): boolean {
  if (row?.kind !== "mcp") return false;
  return first.title === row.title && first.did === row.did && first.isFailed === row.isFailed;
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
