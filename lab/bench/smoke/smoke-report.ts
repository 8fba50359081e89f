import type { SessionTimes } from "../support/bench-database.ts";
import type { StatementCount } from "../support/count-statements.ts";
import type { Machine } from "../support/machine.ts";
import type { MeasuredLoad } from "../support/measure-load.ts";
import type { AcceptedAlerts } from "../support/post-alerts.ts";
import type { ProcessUsage } from "../support/process-usage.ts";
import { MEASURED_SERVICES, type SystemUsage } from "../support/service-usage.ts";

/** What `smoke` writes as JSON; the name of every figure ends in its unit. 1 MB is 1,000,000 bytes. */
export interface SmokeReport {
  readonly benchmark: "smoke";
  readonly started_at: string;
  readonly machine: Machine;
  readonly settings: SmokeSettings;
  readonly accepting_while_executors_run: AcceptFigures;
  readonly accepting_without_executors: AcceptFigures;
  readonly sessions: SessionFigures & { readonly completed_per_s: number };
  readonly sessions_one_at_a_time: SessionFigures;
  /** By service, and their `sum`. */
  readonly services: Readonly<Record<string, ServiceFigures>>;
  readonly postgres: {
    readonly write_transactions_per_session: number;
    readonly committed_transactions_per_session: number;
    readonly wal_kb_per_session: number;
    readonly cpu_ms_per_session: number;
    /** null without --statements. */
    readonly statements_per_session: number | null;
    readonly statements: readonly StatementFigures[] | null;
  };
  readonly nats: { readonly cpu_ms_per_session: number };
  readonly bench_client: { readonly cpu_ms_per_session: number };
  /** CPU time of all processes over cores times the duration of the load. Near 100 the CPU is the bottleneck. */
  readonly cpu_used_percent: number;
}

interface SmokeSettings {
  readonly sessions: number;
  readonly executors: number;
  readonly slots_per_executor: number;
  readonly clients: number;
  readonly model_ms: number;
}

interface AcceptFigures {
  readonly alerts_per_s: number;
  readonly latency_p50_ms: number;
  readonly latency_p99_ms: number;
}

interface SessionFigures {
  readonly accepted_to_completed_p50_ms: number;
  readonly accepted_to_completed_p99_ms: number;
  readonly started_to_completed_p50_ms: number;
  readonly started_to_completed_p99_ms: number;
}

interface ServiceFigures {
  readonly rss_idle_mb: number;
  readonly rss_loaded_mb: number;
  readonly rss_peak_mb: number;
  readonly anon_idle_mb: number;
  readonly anon_loaded_mb: number;
  readonly cpu_ms_per_session: number;
}

interface StatementFigures {
  readonly calls_per_session: number;
  readonly plan_ms_per_session: number;
  readonly run_ms_per_session: number;
  readonly query: string;
}

/** The measurements of one run. */
interface SmokeMeasurements {
  readonly startedAt: Date;
  readonly machine: Machine;
  readonly settings: SmokeSettings;
  /** Before the first session. */
  readonly idle: SystemUsage;
  readonly alone: SessionTimes;
  readonly load: MeasuredLoad;
  /** Alerts accepted while no executor ran. */
  readonly queued: AcceptedAlerts;
  readonly counted: readonly StatementCount[] | null;
}

/** Converts the measurements to figures per session and per second. */
export function smokeReport(measured: SmokeMeasurements): SmokeReport {
  const { startedAt, machine, settings, alone, load, queued, counted } = measured;
  const { sessions } = settings;
  const { before, after, times } = load;
  const cpuMs = (part: (usage: SystemUsage) => ProcessUsage | undefined) =>
    ((part(after.usage)?.cpuSeconds ?? 0) - (part(before.usage)?.cpuSeconds ?? 0)) * 1_000;
  const services = serviceFigures(measured);
  const servers = {
    postgres: cpuMs((usage) => usage.postgres) / sessions,
    nats: cpuMs((usage) => usage.nats) / sessions,
    bench: cpuMs((usage) => usage.bench) / sessions,
  };
  const cpuMsPerSession =
    (services["sum"]?.cpu_ms_per_session ?? 0) + servers.postgres + servers.nats + servers.bench;
  const per = (count: (counters: typeof before.counters) => number) =>
    (count(after.counters) - count(before.counters)) / sessions;
  return {
    benchmark: "smoke",
    started_at: startedAt.toISOString(),
    machine,
    settings,
    accepting_while_executors_run: acceptFigures(load.accepted),
    accepting_without_executors: acceptFigures(queued),
    sessions: { completed_per_s: times.completed / times.seconds, ...sessionFigures(times) },
    sessions_one_at_a_time: sessionFigures(alone),
    services,
    postgres: {
      write_transactions_per_session: per((counters) => counters.writeTransactions),
      committed_transactions_per_session: per((counters) => counters.committedTransactions),
      wal_kb_per_session: per((counters) => counters.walBytes) / 1_000,
      cpu_ms_per_session: servers.postgres,
      ...statementFigures(counted, sessions),
    },
    nats: { cpu_ms_per_session: servers.nats },
    bench_client: { cpu_ms_per_session: servers.bench },
    cpu_used_percent: (cpuMsPerSession * sessions * 100) / (times.seconds * 1_000 * machine.cores),
  };
}

function acceptFigures({ alertsPerSecond, p50Ms, p99Ms }: AcceptedAlerts): AcceptFigures {
  return { alerts_per_s: alertsPerSecond, latency_p50_ms: p50Ms, latency_p99_ms: p99Ms };
}

function sessionFigures(times: SessionTimes): SessionFigures {
  return {
    accepted_to_completed_p50_ms: times.acceptedToCompletedP50Ms,
    accepted_to_completed_p99_ms: times.acceptedToCompletedP99Ms,
    started_to_completed_p50_ms: times.startedToCompletedP50Ms,
    started_to_completed_p99_ms: times.startedToCompletedP99Ms,
  };
}

function serviceFigures({ idle, load, settings }: SmokeMeasurements): Record<string, ServiceFigures> {
  const { before, after } = load;
  const rows = MEASURED_SERVICES.flatMap((name) => {
    const [atRest, from, to] = [idle, before.usage, after.usage].map(({ services }) => services.get(name));
    if (atRest === undefined || from === undefined || to === undefined) return [];
    const figures: ServiceFigures = {
      rss_idle_mb: atRest.rssMb,
      rss_loaded_mb: to.rssMb,
      rss_peak_mb: to.rssPeakMb,
      anon_idle_mb: atRest.anonMb,
      anon_loaded_mb: to.anonMb,
      cpu_ms_per_session: ((to.cpuSeconds - from.cpuSeconds) * 1_000) / settings.sessions,
    };
    return [[name, figures] as const];
  });
  const total = (key: keyof ServiceFigures) => rows.reduce((sum, [, figures]) => sum + figures[key], 0);
  return {
    ...Object.fromEntries(rows),
    sum: {
      rss_idle_mb: total("rss_idle_mb"),
      rss_loaded_mb: total("rss_loaded_mb"),
      rss_peak_mb: total("rss_peak_mb"),
      anon_idle_mb: total("anon_idle_mb"),
      anon_loaded_mb: total("anon_loaded_mb"),
      cpu_ms_per_session: total("cpu_ms_per_session"),
    },
  };
}

function statementFigures(counted: readonly StatementCount[] | null, sessions: number) {
  if (counted === null) return { statements_per_session: null, statements: null };
  return {
    statements_per_session: counted.reduce((sum, { calls }) => sum + calls, 0) / sessions,
    statements: counted.map(({ calls, planMs, runMs, query }) => ({
      calls_per_session: calls / sessions,
      plan_ms_per_session: planMs / sessions,
      run_ms_per_session: runMs / sessions,
      query,
    })),
  };
}
