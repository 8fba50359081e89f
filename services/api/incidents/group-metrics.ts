import { Counter, type Registry } from "prom-client";

export interface GroupMetrics {
  readonly groupedAlerts: Counter<"chain" | "outcome">;
  readonly incidentsResolved: Counter<"chain" | "effect">;
}

/** Creates the metrics of alerts that belong to incidents in `registry`. */
export function createGroupMetrics(registry: Registry): GroupMetrics {
  const registers = [registry];
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
