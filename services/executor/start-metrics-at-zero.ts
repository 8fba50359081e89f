import { BUDGET_SCOPES } from "#shared/contracts/budget.ts";
import { FOLLOW_UP_KINDS, TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import { WAIT_KINDS } from "#shared/contracts/iteration-state.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import type { ExecutorConfig } from "./config.ts";
import { RUN_END_LABELS } from "./run-delivered.ts";
import { AGENT_STEP_LABELS, type ExecutorMetrics } from "./executor-metrics.ts";
import type { SessionStep } from "./next-session-step.ts";

/** The session steps that are counted: `stop-cancelling` ends the run before that. */
const SESSION_STEPS: Readonly<Record<Exclude<SessionStep["kind"], "stop-cancelling">, true>> = {
  "start-stage": true,
  "fetch-runbook": true,
  "weigh-replicas": true,
  "run-executions": true,
  "start-synthesis": true,
  "complete-stage": true,
  summarize: true,
  finish: true,
  ended: true,
};

/** Creates the series of every label value, so that the first event of each changes a rate. */
export function startMetricsAtZero(
  {
    sessions,
    followUps,
    sessionSeconds,
    steps,
    stepSeconds,
    waits,
    circuitOpen,
    budgetStops,
    fallbacks,
    embeddings,
  }: ExecutorMetrics,
  { providerLists }: Pick<ExecutorConfig, "providerLists">,
): void {
  const agentSteps = Object.values(AGENT_STEP_LABELS);
  startAtZero(sessions, { status: Object.values(RUN_END_LABELS) });
  startAtZero(followUps, { kind: FOLLOW_UP_KINDS, status: TERMINAL_STATUSES });
  startAtZero(sessionSeconds, { status: TERMINAL_STATUSES });
  startAtZero(steps, { kind: [...Object.keys(SESSION_STEPS), ...agentSteps] });
  startAtZero(waits, { kind: WAIT_KINDS });
  startAtZero(budgetStops, { kind: ["soft", "exceeded"], scope: BUDGET_SCOPES });
  startAtZero(embeddings, { outcome: ["ok", "failed"] });
  startAtZero(stepSeconds, { kind: agentSteps });
  for (const names of providerLists) {
    for (const provider of names) circuitOpen.set({ provider }, 0);
    names.forEach((from_provider, index) => {
      const others = names.slice(index + 1).filter((name) => name !== from_provider);
      for (const to_provider of others) fallbacks.inc({ from_provider, to_provider }, 0);
    });
  }
}
