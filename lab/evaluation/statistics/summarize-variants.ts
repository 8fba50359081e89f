import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import { mean } from "./mean.ts";
import { quantile } from "./quantile.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** The cells of one variant in numbers. */
export interface VariantSummary {
  readonly variant: string;
  readonly cells: number;
  readonly done: number;
  readonly passed: number;
  readonly errors: number;
  /** Of the cells that were done; null without any. */
  readonly passRate: number | null;
  readonly interval: { readonly low: number; readonly high: number };
  readonly score: { readonly mean: number; readonly sd: number } | null;
  /** The sum; null if the cost of a cell is unknown. */
  readonly costUsd: number | null;
  readonly meanCostUsd: number | null;
  readonly durationMs: { readonly p50: number; readonly p95: number } | null;
  /** Means per cell. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
}

/** The numbers of each variant, in the given order. */
export function summarizeVariants(
  variants: readonly string[],
  cells: readonly JudgedCell[],
): VariantSummary[] {
  return variants.map((variant) => {
    const own = cells.filter((cell) => cell.variant === variant);
    const done = own.filter(isDone);
    const facts = done.map((cell) => cell.facts);
    const passed = done.filter((cell) => cell.passed).length;
    const scores = facts.flatMap(({ score }) => (score === null ? [] : [score]));
    const durations = facts.map(({ duration_ms: ms }) => ms);
    const [p50, p95] = [quantile(durations, 0.5), quantile(durations, 0.95)];
    const costs = facts.map(({ cost_usd: cost }) => cost);
    const costUsd = costs.reduce<number | null>(
      (sum, cost) => (sum === null || cost === null ? null : sum + cost),
      0,
    );
    const average = (values: readonly number[]) => mean(values)?.mean ?? 0;
    return {
      variant,
      cells: own.length,
      done: done.length,
      passed,
      errors: own.filter(({ state }) => state === "error").length,
      passRate: done.length === 0 ? null : passed / done.length,
      interval: wilsonInterval(passed, done.length),
      score: mean(scores),
      costUsd,
      meanCostUsd: costUsd === null || done.length === 0 ? null : costUsd / done.length,
      durationMs: p50 === null || p95 === null ? null : { p50, p95 },
      inputTokens: average(facts.map(({ input_tokens: tokens }) => tokens)),
      outputTokens: average(facts.map(({ output_tokens: tokens }) => tokens)),
      llmCalls: average(facts.map(({ llm_calls: calls }) => calls)),
      toolCalls: average(facts.map(({ tool_calls: calls }) => calls.length)),
    };
  });
}
