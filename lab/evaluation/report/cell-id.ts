import { createHash } from "node:crypto";

/** The anchor of a cell's details in the report. */
export function cellId(cell: {
  readonly case: string;
  readonly variant: string;
  readonly repetition: number;
}): string {
  const text = JSON.stringify([cell.case, cell.variant, cell.repetition]);
  return `cell-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
