import { Counter, Gauge, type Registry } from "prom-client";
import { PARKED_BY } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";

/** What waits in each lane, and what is parked, as of the last sweep. */
export interface LaneMetrics {
  readonly waiting: Gauge<"lane">;
  /** Seconds. */
  readonly oldestWaiting: Gauge<"lane">;
  readonly parked: Gauge<"by">;
  readonly parkRequests: Counter;
}

/** Creates the metrics of lanes and parking in `registry`. */
export function createLaneMetrics(registry: Registry): LaneMetrics {
  const registers = [registry];
  const metrics = {
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
  };
  for (const lane of SESSION_LANES) {
    metrics.waiting.set({ lane }, 0);
    metrics.oldestWaiting.set({ lane }, 0);
  }
  for (const by of PARKED_BY) metrics.parked.set({ by }, 0);
  return metrics;
}
