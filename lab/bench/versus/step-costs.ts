import type { ArmFigures } from "./comparison.ts";

/** The costs that are compared, per session or workflow, and, as differences, per step. */
const COSTS = ["ms", "statements", "write_transactions", "postgres_execution_ms", "wal_kb"] as const;
export type StepCosts = Readonly<Record<(typeof COSTS)[number], number>>;

/** The names of the figures with this prefix. */
export function stepFigureNames(prefix: string): string[] {
  return COSTS.map((name) => `${prefix}_${name}`);
}

/** The figures of a step with this prefix. */
export function stepFigures(prefix: string, costs: StepCosts): ArmFigures {
  return Object.fromEntries(COSTS.map((name) => [`${prefix}_${name}`, costs[name]]));
}

/** The costs of a run from the time of one unit and from what Postgres counted for it. */
export function toStepCosts(ms: number, counted: ArmFigures, unit: string): StepCosts {
  const cost = (name: string) => counted[`${name}_per_${unit}`] ?? Number.NaN;
  return {
    ms,
    statements: cost("statements"),
    write_transactions: cost("write_transactions"),
    postgres_execution_ms: cost("postgres_execution_ms"),
    wal_kb: cost("wal_kb"),
  };
}

/** The costs of one of the `steps` that the longer run has more than the shorter one, less `without`. */
export function perStep(
  longer: StepCosts,
  shorter: StepCosts,
  steps: number,
  without?: StepCosts,
): StepCosts {
  const cost = (name: keyof StepCosts) => (longer[name] - shorter[name]) / steps - (without?.[name] ?? 0);
  return {
    ms: cost("ms"),
    statements: cost("statements"),
    write_transactions: cost("write_transactions"),
    postgres_execution_ms: cost("postgres_execution_ms"),
    wal_kb: cost("wal_kb"),
  };
}
