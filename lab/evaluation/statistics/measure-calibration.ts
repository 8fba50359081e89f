import { isRight, type WorldCell } from "../results/judged-cell.ts";

/** Of the stated confidence, in percent; the last one has 100 as well. */
const BIN_WIDTH = 10;
const BINS = 10;

/** Whether agents are as often right as they say. */
export interface Calibration {
  /** The expected calibration error: the mean over all cells of the distance between confidence and share in the cell's bin; null without cells. */
  readonly error: number | null;
  /** Those with cells. */
  readonly bins: readonly {
    /** In percent; the next bin begins at `to`. */
    readonly from: number;
    readonly to: number;
    readonly cells: number;
    /** The mean of what was stated, 0 to 1. */
    readonly confidence: number;
    readonly right: number;
  }[];
}

/** Compares the stated confidence of cells with what is right. Cells without a cause that was stated as data have none. */
export function measureCalibration(cells: readonly WorldCell[]): Calibration {
  const stated = cells.flatMap((cell) => {
    const body = cell.state === "done" ? cell.facts.world?.conclusion?.body : undefined;
    return body === undefined || body === null || body.causes.length === 0
      ? []
      : [{ percent: body.confidence, isRight: isRight(cell) }];
  });
  const binOf = (percent: number) => Math.min(BINS - 1, Math.floor(percent / BIN_WIDTH));
  const bins = [...Map.groupBy(stated, ({ percent }) => binOf(percent))]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, own]) => ({
      from: bin * BIN_WIDTH,
      to: (bin + 1) * BIN_WIDTH,
      cells: own.length,
      confidence: own.reduce((sum, { percent }) => sum + percent / 100, 0) / own.length,
      right: own.filter((one) => one.isRight).length / own.length,
    }));
  const distance = bins.reduce(
    (sum, { cells: count, confidence, right }) => sum + count * Math.abs(confidence - right),
    0,
  );
  return { error: stated.length === 0 ? null : distance / stated.length, bins };
}
