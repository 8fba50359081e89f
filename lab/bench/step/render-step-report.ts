import { formatTable } from "../support/format-table.ts";
import type { StepCost, StepReport } from "./step-report.ts";

/** The report as text. */
export function renderStepReport(report: StepReport): string {
  const { machine, settings, bare_commit_p50_ms: commitMs } = report;
  const row = (name: string, cost: StepCost) => [
    name,
    cost.statements_per_step,
    cost.transactions_per_step,
    cost.write_transactions_per_step,
    cost.write_ahead_log_kb,
    cost.in_postgres_ms,
    cost.time_ms,
    cost.bare_commits_per_step,
  ];
  const table = formatTable([
    ["", "statements", "transactions", "that write", "WAL kB", "in Postgres ms", "time ms", "bare commits"],
    row("LLM step, zero-delay model", report.llm_step),
    row("tool step, zero-delay tool", report.tool_step),
    row("rest of a session", report.rest_of_session),
  ]);
  const where = `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Postgres ${machine.postgres}`;
  const how = `${settings.rounds} rounds of ${settings.sessions_per_round} sessions in each of three shapes, one session at a time`;
  const { session_time_ratio: ratio, ...perCall } = report.budgets;
  const budgets = `Budgets of the session and of the day add to each LLM call ${perCall.statements_per_call.toFixed(1)} statements, ${perCall.in_postgres_ms_per_call.toFixed(2)} ms in Postgres and ${perCall.write_ahead_log_kb_per_call.toFixed(1)} kB of write-ahead log; the same session takes ${ratio.toFixed(2)} times as long`;
  const { past } = report;
  const kept = `Keeping its past costs a session ${past.write_ahead_log_ratio.toFixed(2)} times the write-ahead log and ${past.in_postgres_ratio.toFixed(2)} times the time in Postgres; it takes ${past.session_time_ratio.toFixed(2)} times as long`;
  return `\n${where}\n${how}; one bare commit ${commitMs.toFixed(2)} ms\n\n${table}\n${budgets}.\n${kept}.\n
Statements are counted exactly, but include background ones (lease renewals, sweeps). Times are noisy: compare only the
last column, and only with that of other runs (lab/bench/README.md).\n`;
}
