import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WakeResult } from "#shared/bus/session-waker.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";
import { EVENTS_STREAM, FOLLOWUPS_STREAM, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { OPEN_ROWS } from "#shared/database/open-rows.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import { createGroupMetrics, type GroupMetrics } from "./incidents/group-metrics.ts";
import { createLaneMetrics, type LaneMetrics } from "./parking/lane-metrics.ts";
import { createNotificationMetrics, type NotificationMetrics } from "./notifications/notification-metrics.ts";
import { createReviewMetrics, type ReviewMetrics } from "./reviews/review-metrics.ts";

/** What answered a read that a replica may answer: the replica, or the primary and why. */
const READ_SOURCES = ["replica", "behind", "wrote", "failed"] as const;
export type ReadSource = (typeof READ_SOURCES)[number];

type WakeupResult = Extract<WakeResult, string> | "failed";

export interface ApiMetrics extends GroupMetrics, LaneMetrics, NotificationMetrics, ReviewMetrics {
  readonly accepted: Counter;
  readonly replayed: Counter;
  readonly requestSeconds: Histogram<"method" | "route" | "status">;
  readonly sseConnections: Gauge;
  readonly wakeups: Counter<"result">;
  readonly swept: Counter;
  readonly queueRepairs: Counter;
  readonly streamRefused: Gauge<"stream">;
  readonly streamsRemade: Counter<"stream">;
  readonly openRowsClosed: Counter<"table">;
  readonly unowned: Gauge;
  /** Seconds since the search had everything. */
  readonly searchLag: Gauge;
  readonly steered: Counter<"mode">;
  readonly replicaReads: Counter<"source">;
  readonly replicaLag: Gauge;
  readonly lostBudgetCalls: Counter;
  /** Of the chains, teams and the day. */
  readonly budgetUsedRatio: Gauge;
}

const WAKEUP_RESULTS: readonly WakeupResult[] = ["queued", "already_queued", "failed"];

function budgetMetrics(registers: Registry[]): Pick<ApiMetrics, "budgetUsedRatio" | "lostBudgetCalls"> {
  return {
    budgetUsedRatio: new Gauge({
      name: "tarsy_api_budget_used_ratio",
      help: "Used part of the limit that is used up most, over the budgets of chains, teams and the day; 0 without any",
      registers,
    }),
    lostBudgetCalls: new Counter({
      name: "tarsy_api_budget_lost_calls_total",
      help: "LLM calls under a budget whose owner was gone: counted at the most that they could use",
      registers,
    }),
  };
}

function replicaMetrics(registers: Registry[]): Pick<ApiMetrics, "replicaReads" | "replicaLag"> {
  const metrics = {
    replicaReads: new Counter({
      name: "tarsy_api_replica_reads_total",
      help: "Reads that the replica of the database may answer, by what answered: the replica, or the primary and why",
      labelNames: ["source"],
      registers,
    }),
    replicaLag: new Gauge({
      name: "tarsy_api_replica_lag_seconds",
      help: "Age of what the replica of the database shows; +Inf if that is not known, 0 without a replica",
      registers,
    }),
  };
  startAtZero(metrics.replicaReads, { source: READ_SOURCES });
  return metrics;
}

function repairMetrics(
  registers: Registry[],
): Pick<ApiMetrics, "streamRefused" | "streamsRemade" | "openRowsClosed"> {
  const metrics = {
    streamRefused: new Gauge({
      name: "tarsy_api_stream_refused",
      help: "1 while the stream takes no message although NATS answers, else 0",
      labelNames: ["stream"],
      registers,
    }),
    streamsRemade: new Counter({
      name: "tarsy_api_streams_remade_total",
      help: "Times a stream took no message and was deleted and created again",
      labelNames: ["stream"],
      registers,
    }),
    openRowsClosed: new Counter({
      name: "tarsy_api_open_rows_closed_total",
      help: "Rows that were left open behind the end of their session and were closed",
      labelNames: ["table"],
      registers,
    }),
  };
  for (const stream of [SESSIONS_STREAM, FOLLOWUPS_STREAM, EVENTS_STREAM]) {
    metrics.streamRefused.set({ stream }, 0);
    metrics.streamsRemade.inc({ stream }, 0);
  }
  startAtZero(metrics.openRowsClosed, { table: Object.keys(OPEN_ROWS) });
  return metrics;
}

/** Creates the api's metrics in `registry`. */
export function createApiMetrics(registry: Registry): ApiMetrics {
  const registers = [registry];
  const metrics = {
    ...createGroupMetrics(registry),
    ...createLaneMetrics(registry),
    ...createNotificationMetrics(registry),
    ...createReviewMetrics(registry),
    accepted: new Counter({
      name: "tarsy_api_alerts_accepted_total",
      help: "Alerts stored and answered with 202",
      registers,
    }),
    replayed: new Counter({
      name: "tarsy_api_alerts_replayed_total",
      help: "Repeated submissions answered with the session of the first",
      registers,
    }),
    requestSeconds: new Histogram({
      name: "tarsy_api_request_duration_seconds",
      help: "HTTP requests by method, route and status",
      labelNames: ["method", "route", "status"],
      buckets: [0.002, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    sseConnections: new Gauge({
      name: "tarsy_api_event_streams",
      help: "Open SSE connections",
      registers,
    }),
    wakeups: new Counter({
      name: "tarsy_api_session_wakeups_total",
      help: "Wake-ups sent to the executors, by result",
      labelNames: ["result"],
      registers,
    }),
    ...budgetMetrics(registers),
    ...replicaMetrics(registers),
    ...repairMetrics(registers),
    steered: new Counter({
      name: "tarsy_api_steering_messages_total",
      help: "Messages to the agents of running sessions, by what they ask for",
      labelNames: ["mode"],
      registers,
    }),
    swept: new Counter({
      name: "tarsy_api_sessions_swept_total",
      help: "Sessions the sweeper found without an owner and without a wake-up",
      registers,
    }),
    queueRepairs: new Counter({
      name: "tarsy_api_queue_repairs_total",
      help: "Times the queue's consumer was stuck and was recreated",
      registers,
    }),
    unowned: new Gauge({
      name: "tarsy_api_sessions_unowned",
      help: "Unfinished sessions without a live lease at the last sweep",
      registers,
    }),
    searchLag: new Gauge({
      name: "tarsy_api_search_index_lag_seconds",
      help: "Seconds since everything that was stored could be found by the search",
      registers,
    }),
  };
  startAtZero(metrics.steered, { mode: STEERING_MODES });
  startAtZero(metrics.wakeups, { result: WAKEUP_RESULTS });
  return metrics;
}
