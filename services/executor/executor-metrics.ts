import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface ExecutorMetrics {
  readonly running: Gauge;
  readonly sessions: Counter<"status">;
  readonly poison: Counter;
  readonly steps: Counter<"kind">;
  readonly waits: Counter<"kind">;
  readonly fallbacks: Counter<"from_provider" | "to_provider">;
  readonly circuitOpen: Gauge<"provider">;
  readonly stepSeconds: Histogram<"kind">;
}

/** Creates the executor's metrics in `registry`. */
export function createExecutorMetrics(registry: Registry): ExecutorMetrics {
  const registers = [registry];
  return {
    running: new Gauge({
      name: "tarsy_executor_sessions_running",
      help: "Sessions running on this executor",
      registers,
    }),
    sessions: new Counter({
      name: "tarsy_executor_sessions_total",
      help: "Runs of sessions that ended here, by outcome",
      labelNames: ["status"],
      registers,
    }),
    poison: new Counter({
      name: "tarsy_executor_poison_messages_total",
      help: "Messages in the sessions' queue that are no wake-up, logged and terminated",
      registers,
    }),
    steps: new Counter({
      name: "tarsy_executor_steps_total",
      help: "Steps committed, by kind",
      labelNames: ["kind"],
      registers,
    }),
    waits: new Counter({
      name: "tarsy_executor_waits_total",
      help: "Waits of agents and of summaries, by what they wait for",
      labelNames: ["kind"],
      registers,
    }),
    fallbacks: new Counter({
      name: "tarsy_llm_fallbacks_total",
      help: "Changes of an agent's or a summary's LLM provider after failures or during an outage",
      labelNames: ["from_provider", "to_provider"],
      registers,
    }),
    circuitOpen: new Gauge({
      name: "tarsy_llm_circuit_open",
      help: "1 while an LLM provider counts as away and is not called, else 0",
      labelNames: ["provider"],
      registers,
    }),
    stepSeconds: new Histogram({
      name: "tarsy_executor_step_duration_seconds",
      help: "Time from a step's start to its outcome, by kind",
      labelNames: ["kind"],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120],
      registers,
    }),
  };
}
