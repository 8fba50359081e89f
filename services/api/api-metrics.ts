import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WakeResult } from "#shared/bus/session-waker.ts";
import { QUALITY_RATINGS } from "#shared/contracts/review.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import { createLaneMetrics, type LaneMetrics } from "./parking/lane-metrics.ts";

type WakeupResult = Extract<WakeResult, string> | "failed";

export interface ApiMetrics extends LaneMetrics {
  readonly accepted: Counter;
  readonly replayed: Counter;
  readonly requestSeconds: Histogram<"method" | "route" | "status">;
  readonly sseConnections: Gauge;
  readonly wakeups: Counter<"result">;
  readonly swept: Counter;
  readonly queueRepairs: Counter;
  readonly unowned: Gauge;
  /** Seconds since the search had everything. */
  readonly searchLag: Gauge;
  readonly sessionsReviewed: Counter;
  readonly reviewsCompleted: Counter<"quality_rating">;
  readonly steered: Counter<"mode">;
}

const WAKEUP_RESULTS: readonly WakeupResult[] = ["queued", "already_queued", "failed"];

/** Creates the api's metrics in `registry`. */
export function createApiMetrics(registry: Registry): ApiMetrics {
  const registers = [registry];
  const metrics = {
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
  startAtZero(metrics.steered, { mode: STEERING_MODES });
  startAtZero(metrics.wakeups, { result: WAKEUP_RESULTS });
  return { ...metrics, ...createLaneMetrics(registry) };
}
