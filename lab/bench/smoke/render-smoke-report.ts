import { formatTable } from "../support/format-table.ts";
import type { SmokeReport } from "./smoke-report.ts";

const LISTED_STATEMENTS = 25;
const QUERY_WIDTH = 100;

/** The report as text: the machine, the figures with their units, and a note on their limits. */
export function renderSmokeReport(report: SmokeReport): string {
  const { machine, settings } = report;
  const parts = [
    `${settings.sessions} sessions, ${settings.executors} executor(s) with ${settings.slots_per_executor} slots each, ${settings.clients} clients${settings.model_ms === 0 ? "" : `, ${settings.model_ms} ms before each answer of the model`}`,
    `${machine.cores} cores (${machine.cpu}), ${machine.memory_mb} MB; Node ${machine.node}, Postgres ${machine.postgres}, NATS ${machine.nats}; one commit ${machine.commit_p50_ms.toFixed(2)} ms`,
    latencyTable(report),
    serviceTable(report),
    postgresTable(report),
    ...statementTable(report),
    "These figures are noisy and belong to this machine: compare only within one run, or interleaved runs as ratios (lab/bench/README.md).",
  ];
  return `\n${parts.join("\n\n")}\n`;
}

function latencyTable(report: SmokeReport): string {
  const { accepting_while_executors_run: running, accepting_without_executors: alone } = report;
  const { sessions, sessions_one_at_a_time: single } = report;
  return formatTable([
    ["", "per second", "p50 ms", "p99 ms"],
    [
      "alerts accepted, executors running",
      running.alerts_per_s,
      running.latency_p50_ms,
      running.latency_p99_ms,
    ],
    ["alerts accepted, no executors", alone.alerts_per_s, alone.latency_p50_ms, alone.latency_p99_ms],
    [
      "sessions, 202 to completed (waits in the queue)",
      sessions.completed_per_s,
      sessions.accepted_to_completed_p50_ms,
      sessions.accepted_to_completed_p99_ms,
    ],
    [
      "  of which claimed to completed",
      "",
      sessions.started_to_completed_p50_ms,
      sessions.started_to_completed_p99_ms,
    ],
    [
      "sessions one at a time, 202 to completed",
      "",
      single.accepted_to_completed_p50_ms,
      single.accepted_to_completed_p99_ms,
    ],
  ]);
}

function serviceTable(report: SmokeReport): string {
  const rows = Object.entries(report.services).map(([name, figures]) => [
    name,
    figures.rss_idle_mb,
    figures.rss_loaded_mb,
    figures.rss_peak_mb,
    figures.anon_idle_mb,
    figures.anon_loaded_mb,
    figures.cpu_ms_per_session,
  ]);
  const others = { Postgres: report.postgres, NATS: report.nats, "this benchmark": report.bench_client };
  return formatTable([
    ["", "RSS MB idle", "after load", "peak", "anonymous MB idle", "after load", "CPU ms per session"],
    ...rows,
    ...Object.entries(others).map(([name, figures]) => [
      name,
      "",
      "",
      "",
      "",
      "",
      figures.cpu_ms_per_session,
    ]),
    ["all cores used, %", "", "", "", "", "", report.cpu_used_percent],
  ]);
}

function postgresTable({ postgres }: SmokeReport): string {
  const { statements_per_session: statements } = postgres;
  return formatTable([
    ["Postgres", "per session"],
    ["transactions that write", postgres.write_transactions_per_session],
    ["transactions committed, about", postgres.committed_transactions_per_session],
    ...(statements === null ? [] : [["statements", statements]]),
    ["write-ahead log, kB", postgres.wal_kb_per_session],
  ]);
}

function statementTable({ postgres }: SmokeReport): string[] {
  if (postgres.statements === null) return [];
  const rows = postgres.statements
    .slice(0, LISTED_STATEMENTS)
    .map(({ calls_per_session, plan_ms_per_session, run_ms_per_session, query }) => [
      query.slice(0, QUERY_WIDTH).padEnd(QUERY_WIDTH),
      calls_per_session,
      plan_ms_per_session,
      run_ms_per_session,
    ]);
  return [formatTable([["statement", "per session", "planned ms", "run ms"], ...rows])];
}
