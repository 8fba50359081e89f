/** A linear axis from 0 to a round number at or above the largest value. */
interface AxisScale {
  readonly max: number;
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 4;

/** An axis for values from 0 to `largest`, with about four ticks at round numbers. */
export function axisScale(largest: number): AxisScale {
  if (!(largest > 0)) return { max: 1, ticks: [0, 1] };
  const rough = largest / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((each) => each * power >= rough) ?? 10) * power;
  const count = Math.ceil(largest / step - 1e-9);
  return { max: step * count, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
