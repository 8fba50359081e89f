import { expect } from "chai";

const LARGE = 16;
/** Quadratic work would take 256 times as long. */
const MOST = 64;
/** Shorter times are mostly those of the measurement. */
const LEAST_MS = 5;
const TRIES = 3;

/**
 * Expects that `work` takes processor time in proportion to its text, which `textOf` makes of a size: 16 times the text at most 64 times as long.
 * What else the machine does adds to a measured time and takes nothing off, so the shortest of several are compared. Nothing is counted instead,
 * because most of such work is in regular expressions and searches of V8.
 */
export function expectLinear(
  what: string,
  { size, textOf, work }: { size: number; textOf: (size: number) => string; work: (text: string) => unknown },
): void {
  const texts = [textOf(size), textOf(size * LARGE)] as const;
  let [small, large] = [Infinity, Infinity];
  for (let n = 0; n < TRIES; n += 1) {
    small = Math.min(
      small,
      cpuTime(() => work(texts[0])),
    );
    large = Math.min(
      large,
      cpuTime(() => work(texts[1])),
    );
    if (large <= Math.max(small, LEAST_MS) * MOST) return;
  }
  expect.fail(
    `${what}: ${small} ms of processor time for the small text, ${large} ms for ${LARGE} times that`,
  );
}

/** Milliseconds of this thread: the collector's and the compiler's threads are not counted. */
function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
