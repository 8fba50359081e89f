import type { Machine } from "../support/machine.ts";
import { percentile } from "../support/percentile.ts";
import { TURNS, type ShapeName } from "./shapes.ts";

/** Average costs of one session of a shape. */
export interface ShapeTotals {
  readonly statements: number;
  /** Explicit transactions; statements outside of them are not counted. */
  readonly transactions: number;
  readonly writes: number;
  readonly walKb: number;
  /** Time of planning and execution in Postgres, without the flush of a COMMIT. */
  readonly postgresMs: number;
  readonly ms: number;
}

/** Costs of one step. */
export interface StepCost {
  readonly statements_per_step: number;
  readonly transactions_per_step: number;
  readonly write_transactions_per_step: number;
  readonly write_ahead_log_kb: number;
  readonly in_postgres_ms: number;
  readonly time_ms: number;
  /** `time_ms` divided by the time of one bare commit in the same run. */
  readonly bare_commits_per_step: number;
}

export interface StepReport {
  readonly benchmark: "step";
  readonly started_at: string;
  readonly machine: Machine;
  readonly settings: { readonly rounds: number; readonly sessions_per_round: number; readonly turns: number };
  readonly bare_commit_p50_ms: number;
  readonly llm_step: StepCost;
  readonly tool_step: StepCost;
  /** The rest of a session: claim, stage, conversation, tool list, final answer, end. */
  readonly rest_of_session: StepCost;
  /** What budgets of the session and of the day add to an LLM call. */
  readonly budgets: BudgetCost;
  /** What it costs a session to keep its past. */
  readonly past: PastCost;
}

/** The same sessions with and without the triggers that keep what commits overwrite, which took turns: medians of the rounds' ratios. */
interface PastCost {
  readonly session_time_ratio: number;
  readonly in_postgres_ratio: number;
  readonly write_ahead_log_ratio: number;
}

/** Differences between the same sessions with and without budgets, which took turns. */
interface BudgetCost {
  /** The median of the rounds' ratios of the sessions' times. */
  readonly session_time_ratio: number;
  readonly statements_per_call: number;
  readonly write_ahead_log_kb_per_call: number;
  readonly in_postgres_ms_per_call: number;
}

interface MeasuredSteps {
  readonly startedAt: Date;
  readonly machine: Machine;
  readonly settings: StepReport["settings"];
  readonly totals: ReadonlyMap<ShapeName, readonly ShapeTotals[]>;
  /** Of sessions as `double-turns`, by round. */
  readonly budgeted: readonly ShapeTotals[];
  /** The same, while the past is not kept. */
  readonly withoutPast: readonly ShapeTotals[];
  readonly commits: readonly number[];
}

/** Computes the costs per step from the differences of `double-tools` and `double-turns` to `single`. */
export function stepReport({
  startedAt,
  machine,
  settings,
  totals,
  budgeted,
  withoutPast,
  commits,
}: MeasuredSteps): StepReport {
  const commitMs = percentile(commits, 0.5);
  const median = (shape: ShapeName) => medians(totals.get(shape) ?? []);
  const [single, tools, turns] = [median("single"), median("double-tools"), median("double-turns")];
  const tool = totalsOf((key) => (tools[key] - single[key]) / TURNS);
  const llm = totalsOf((key) => (turns[key] - single[key]) / TURNS - tool[key]);
  const rest = totalsOf((key) => single[key] - TURNS * (llm[key] + tool[key]));
  return {
    benchmark: "step",
    started_at: startedAt.toISOString(),
    machine,
    settings,
    bare_commit_p50_ms: commitMs,
    llm_step: cost(llm, commitMs),
    tool_step: cost(tool, commitMs),
    rest_of_session: cost(rest, commitMs),
    budgets: budgetCost(totals.get("double-turns") ?? [], budgeted),
    past: pastCost(withoutPast, totals.get("double-turns") ?? []),
  };
}

function pastCost(without: readonly ShapeTotals[], kept: readonly ShapeTotals[]): PastCost {
  const ratio = (key: keyof ShapeTotals) =>
    percentile(
      kept.flatMap((round, index) => {
        const other = without[index];
        return other === undefined ? [] : [round[key] / other[key]];
      }),
      0.5,
    );
  return {
    session_time_ratio: ratio("ms"),
    in_postgres_ratio: ratio("postgresMs"),
    write_ahead_log_ratio: ratio("walKb"),
  };
}

/** With the answer and the summary. */
const CALLS = 2 * TURNS + 2;

function budgetCost(plain: readonly ShapeTotals[], budgeted: readonly ShapeTotals[]): BudgetCost {
  const [without, withBudgets] = [medians(plain), medians(budgeted)];
  const perCall = (key: keyof ShapeTotals) => (withBudgets[key] - without[key]) / CALLS;
  const ratios = budgeted.flatMap(({ ms }, round) => {
    const other = plain[round];
    return other === undefined ? [] : [ms / other.ms];
  });
  return {
    session_time_ratio: percentile(ratios, 0.5),
    statements_per_call: perCall("statements"),
    write_ahead_log_kb_per_call: perCall("walKb"),
    in_postgres_ms_per_call: perCall("postgresMs"),
  };
}

function medians(rounds: readonly ShapeTotals[]): ShapeTotals {
  return totalsOf((key) =>
    percentile(
      rounds.map((round) => round[key]),
      0.5,
    ),
  );
}

function totalsOf(value: (key: keyof ShapeTotals) => number): ShapeTotals {
  return {
    statements: value("statements"),
    transactions: value("transactions"),
    writes: value("writes"),
    walKb: value("walKb"),
    postgresMs: value("postgresMs"),
    ms: value("ms"),
  };
}

function cost(
  { statements, transactions, writes, walKb, postgresMs, ms }: ShapeTotals,
  commitMs: number,
): StepCost {
  return {
    statements_per_step: statements,
    transactions_per_step: transactions,
    write_transactions_per_step: writes,
    write_ahead_log_kb: walKb,
    in_postgres_ms: postgresMs,
    time_ms: ms,
    bare_commits_per_step: ms / commitMs,
  };
}
