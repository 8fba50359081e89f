import type { BenchmarkContext } from "../support/benchmark.ts";
import type { Arm, ArmComparison, ArmFigures, Round } from "./comparison.ts";
import type { PhysicalLimits } from "./physical-limits.ts";

type ComparisonSettings = Pick<ArmComparison, "name" | "what" | "figures"> & {
  /** Measured rounds, after one to warm up. */
  readonly rounds: number;
  readonly arms: readonly Arm[];
  readonly limits: PhysicalLimits;
};

/**
 * Measures the arms in interleaved rounds. Every second round runs them in the opposite order (A B, B A), so that neither a
 * change of the machine's speed nor the place within a round favours one of them. Throws what an arm throws, and the signal's
 * reason once it aborts.
 */
export async function runComparison(
  { arms, limits, rounds, ...rest }: ComparisonSettings,
  { progress, signal }: Pick<BenchmarkContext, "progress" | "signal">,
): Promise<ArmComparison> {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ordered = round % 2 === 0 ? arms.toReversed() : arms;
    const at = round === 0 ? "warming up" : `round ${round} of ${rounds}`;
    const limit = await limits.measure();
    const figures = new Map<string, ArmFigures>();
    for (const arm of ordered) {
      signal.throwIfAborted();
      progress(`${rest.name}: ${at}, ${arm.name}`);
      figures.set(arm.name, await arm.measure());
    }
    if (round === 0) continue;
    const order = ordered.map(({ name }) => name);
    measured.push({ order, figures: Object.fromEntries(figures), limits: limit });
  }
  return { ...rest, arms: arms.map(({ name }) => name), rounds: measured };
}
