import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AgentStep } from "./core/agent-state.ts";

export interface ExecutorMetrics {
  readonly running: Gauge;
  readonly followupsRunning: Gauge;
  readonly sessions: Counter<"status">;
  readonly waitSeconds: Histogram;
  readonly sessionSeconds: Histogram<"status">;
  readonly poison: Counter;
  readonly followUps: Counter<"kind" | "status">;
  readonly steps: Counter<"kind">;
  readonly waits: Counter<"kind">;
  readonly fallbacks: Counter<"from_provider" | "to_provider">;
  readonly cost: Counter<"provider" | "model">;
  readonly unpricedTokens: Counter<"provider" | "model">;
  readonly embeddings: Counter<"outcome">;
  readonly circuitOpen: Gauge<"provider">;
  readonly budgetStops: Counter<"kind" | "scope">;
  readonly stepSeconds: Histogram<"kind">;
}

function runningGauges(registers: Registry[]): Pick<ExecutorMetrics, "running" | "followupsRunning"> {
  return {
    running: new Gauge({
      name: "tarsy_executor_sessions_running",
      help: "Sessions running on this executor",
      registers,
    }),
    followupsRunning: new Gauge({
      name: "tarsy_executor_followups_running",
      help: "Ended sessions whose follow-ups run on this executor",
      registers,
    }),
  };
}

/** Metrics of the cost of models, and of calls that fail. */
function modelMetrics(
  registers: Registry[],
): Pick<
  ExecutorMetrics,
  "fallbacks" | "cost" | "unpricedTokens" | "embeddings" | "circuitOpen" | "budgetStops"
> {
  return {
    fallbacks: new Counter({
      name: "tarsy_llm_fallbacks_total",
      help: "Changes of an agent's or a summary's LLM provider after failures or during an outage",
      labelNames: ["from_provider", "to_provider"],
      registers,
    }),
    cost: new Counter({
      name: "tarsy_llm_cost_usd_total",
      help: "Estimated cost of recorded LLM calls in USD",
      labelNames: ["provider", "model"],
      registers,
    }),
    unpricedTokens: new Counter({
      name: "tarsy_llm_unpriced_tokens_total",
      help: "Tokens of recorded LLM calls whose price is not known",
      labelNames: ["provider", "model"],
      registers,
    }),
    embeddings: new Counter({
      name: "tarsy_executor_embeddings_total",
      help: "Requests for vectors of memories and queries, by outcome; after a failed one words alone decide",
      labelNames: ["outcome"],
      registers,
    }),
    budgetStops: new Counter({
      name: "tarsy_executor_budget_stops_total",
      help: "Agents that a budget has stopped: soft, they conclude; exceeded, they fail",
      labelNames: ["kind", "scope"],
      registers,
    }),
    circuitOpen: new Gauge({
      name: "tarsy_llm_circuit_open",
      help: "1 while an LLM provider counts as away and is not called, else 0",
      labelNames: ["provider"],
      registers,
    }),
  };
}

/** Creates the executor's metrics in `registry`. */
export function createExecutorMetrics(registry: Registry): ExecutorMetrics {
  const registers = [registry];
  return {
    ...runningGauges(registers),
    ...modelMetrics(registers),
    sessions: new Counter({
      name: "tarsy_executor_sessions_total",
      help: "Runs of sessions that ended here, by outcome",
      labelNames: ["status"],
      registers,
    }),
    followUps: new Counter({
      name: "tarsy_executor_followups_total",
      help: "Follow-ups that ended here, by kind and outcome",
      labelNames: ["kind", "status"],
      registers,
    }),
    waitSeconds: new Histogram({
      name: "tarsy_executor_session_wait_seconds",
      help: "Time from the submission of a session to its first start",
      buckets: [0.05, 0.2, 1, 5, 15, 60, 300, 900, 3_600],
      registers,
    }),
    sessionSeconds: new Histogram({
      name: "tarsy_executor_session_duration_seconds",
      help: "Time from a session's first start to its end, over all its executors, without paused time",
      labelNames: ["status"],
      buckets: [1, 5, 15, 60, 120, 300, 600, 900, 1_800, 3_600],
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
    stepSeconds: new Histogram({
      name: "tarsy_executor_step_duration_seconds",
      help: "Time from a step's start to its outcome, by kind",
      labelNames: ["kind"],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120],
      registers,
    }),
  };
}

/** The label of each agent step. Label values are part of the metrics' public interface: they stay when a step's kind is renamed. */
export const AGENT_STEP_LABELS: Record<AgentStep["kind"], string> = {
  "list-tools": "list-tools",
  "open-conversation": "open-conversation",
  "append-user-message": "tell",
  "ask-for-lessons": "tell",
  "ask-for-conclusion": "tell",
  "check-conclusion": "check-conclusion",
  "deliver-steering": "steer",
  "deliver-evidence": "new-evidence",
  "deliver-results": "deliver-results",
  "cancel-sub-agents": "cancel-sub-agents",
  "wait-for-sub-agents": "wait",
  "call-llm": "call-llm",
  "change-provider": "change-provider",
  "run-tool": "run-tool",
  "summarize-result": "summarize-result",
  finish: "conclude",
};
