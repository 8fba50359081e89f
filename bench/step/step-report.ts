import type { Machine } from "../support/machine.ts";
import { percentile } from "../support/percentile.ts";
import { TURNS, type ShapeName } from "./shapes.ts";

/** What one session of a shape cost on average. */
export interface ShapeTotals {
  readonly statements: number;
  /** Explicit ones; a statement outside a transaction is one of its own and not counted here. */
  readonly transactions: number;
  readonly writes: number;
  readonly walKb: number;
  /** Planning and running in Postgres, without the flush of a COMMIT. */
  readonly postgresMs: number;
  readonly ms: number;
}

/** One step's share. */
export interface StepCost {
  readonly statements_per_step: number;
  readonly transactions_per_step: number;
  readonly write_transactions_per_step: number;
  readonly write_ahead_log_kb: number;
  readonly in_postgres_ms: number;
  readonly time_ms: number;
  /** The time against that of one bare commit in the same run. */
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
  /** Everything of a session but its turns: claim, stage, conversation, tool list, last answer, end. */
  readonly rest_of_session: StepCost;
}

interface Measured {
  readonly startedAt: Date;
  readonly machine: Machine;
  readonly settings: StepReport["settings"];
  readonly totals: ReadonlyMap<ShapeName, readonly ShapeTotals[]>;
  readonly commits: readonly number[];
}

/** Solves for the steps: twice the tools in as many answers, and twice the answers with one tool each. */
export function stepReport({ startedAt, machine, settings, totals, commits }: Measured): StepReport {
  const commitMs = percentile(commits, 0.5);
  const median = (shape: ShapeName) => medians(totals.get(shape) ?? []);
  const [single, tools, turns] = [median("single"), median("double-tools"), median("double-turns")];
  const tool = combine((key) => (tools[key] - single[key]) / TURNS);
  const llm = combine((key) => (turns[key] - single[key]) / TURNS - tool[key]);
  const rest = combine((key) => single[key] - TURNS * (llm[key] + tool[key]));
  return {
    benchmark: "step",
    started_at: startedAt.toISOString(),
    machine,
    settings,
    bare_commit_p50_ms: commitMs,
    llm_step: cost(llm, commitMs),
    tool_step: cost(tool, commitMs),
    rest_of_session: cost(rest, commitMs),
  };
}

function medians(rounds: readonly ShapeTotals[]): ShapeTotals {
  return combine((key) =>
    percentile(
      rounds.map((round) => round[key]),
      0.5,
    ),
  );
}

function combine(value: (key: keyof ShapeTotals) => number): ShapeTotals {
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
