import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * By default prom-client looks at the delay of the event loop a hundred times a second, which is most of what an idle service does.
 * A service that hangs for a quarter of a second is found as well.
 */
const EVENT_LOOP_RESOLUTION_MS = 250;

/** A registry with the metrics of this process: memory, CPU time, garbage collection, delay of the event loop. */
export function processRegistry(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS });
  return register;
}
