import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WakeResult } from "#shared/bus/session-waker.ts";
import { QUALITY_RATINGS } from "#shared/contracts/review.ts";
import { PARKED_BY } from "#shared/contracts/parked-by.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";
import { createNotificationMetrics, type NotificationMetrics } from "./notifications/notification-metrics.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";

type WakeupResult = Extract<WakeResult, string> | "failed";

export interface ApiMetrics extends NotificationMetrics {
  readonly accepted: Counter;
  readonly replayed: Counter;
  readonly requestSeconds: Histogram<"method" | "route" | "status">;
  readonly sseConnections: Gauge;
  readonly wakeups: Counter<"result">;
  readonly swept: Counter;
  readonly queueRepairs: Counter;
  readonly unowned: Gauge;
  readonly parkRequests: Counter;
  readonly waiting: Gauge<"lane">;
  /** Seconds. */
  readonly oldestWaiting: Gauge<"lane">;
  readonly parked: Gauge<"by">;
  /** Seconds since the search had everything. */
  readonly searchLag: Gauge;
  readonly sessionsReviewed: Counter;
  readonly reviewsCompleted: Counter<"quality_rating">;
  readonly steered: Counter<"mode">;
  readonly lostBudgetCalls: Counter;
  readonly groupedAlerts: Counter<"chain" | "outcome">;
  readonly incidentsResolved: Counter<"chain" | "effect">;
}

const WAKEUP_RESULTS: readonly WakeupResult[] = ["queued", "already_queued", "failed"];

/** Creates the api's metrics in `registry`. */
export function createApiMetrics(registry: Registry): ApiMetrics {
  const registers = [registry];
  const metrics = {
    ...groupMetrics(registers),
    ...createNotificationMetrics(registry),
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
    lostBudgetCalls: new Counter({
      name: "tarsy_api_budget_lost_calls_total",
      help: "LLM calls under a budget whose owner was gone: counted at the most that they could use",
      registers,
    }),
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
    waiting: new Gauge({
      name: "tarsy_api_sessions_waiting",
      help: "Sessions that have not been started and may be, at the last sweep, by lane",
      labelNames: ["lane"],
      registers,
    }),
    oldestWaiting: new Gauge({
      name: "tarsy_api_oldest_waiting_seconds",
      help: "Seconds since the submission of the session that waits longest, at the last sweep, by lane",
      labelNames: ["lane"],
      registers,
    }),
    parked: new Gauge({
      name: "tarsy_api_sessions_parked",
      help: "Parked sessions at the last sweep, by who parked them",
      labelNames: ["by"],
      registers,
    }),
    parkRequests: new Counter({
      name: "tarsy_api_park_requests_total",
      help: "Running sessions asked to give their place to a critical one",
      registers,
    }),
    searchLag: new Gauge({
      name: "tarsy_api_search_index_lag_seconds",
      help: "Seconds since everything that was stored could be found by the search",
      registers,
    }),
    sessionsReviewed: new Counter({
      name: "tarsy_api_sessions_reviewed_total",
      help: "Sessions that a reviewer has moved to reviewed, with a rating or without",
      registers,
    }),
    reviewsCompleted: new Counter({
      name: "tarsy_api_reviews_completed_total",
      help: "Reviews completed with a rating, by rating",
      labelNames: ["quality_rating"],
      registers,
    }),
  };
  startAtZero(metrics.reviewsCompleted, { quality_rating: QUALITY_RATINGS });
  for (const lane of SESSION_LANES) {
    metrics.waiting.set({ lane }, 0);
    metrics.oldestWaiting.set({ lane }, 0);
  }
  for (const by of PARKED_BY) metrics.parked.set({ by }, 0);
  startAtZero(metrics.steered, { mode: STEERING_MODES });
  startAtZero(metrics.wakeups, { result: WAKEUP_RESULTS });
  return metrics;
}

/** Of alerts that belong to incidents. */
function groupMetrics(registers: Registry[]) {
  return {
    groupedAlerts: new Counter({
      name: "tarsy_api_grouped_alerts_total",
      help: "Alerts of incidents, by chain and by what became of them",
      labelNames: ["chain", "outcome"],
      registers,
    }),
    incidentsResolved: new Counter({
      name: "tarsy_api_incidents_resolved_total",
      help: "Running sessions that concluded or were cancelled because their incident was over, by chain",
      labelNames: ["chain", "effect"],
      registers,
    }),
  };
}
