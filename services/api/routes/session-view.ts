import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { AgentExecution } from "#shared/database/entities/agent-execution.ts";
import type { AlertSession } from "#shared/database/entities/alert-session.ts";
import type { SessionRuntime } from "#shared/database/entities/session-runtime.ts";
import type { Stage } from "#shared/database/entities/stage.ts";
import type { TimelineEvent } from "#shared/database/entities/timeline-event.ts";

/** A session as in the reference: snake_case, without null members, and with an empty `edges`. */
export function sessionView(
  session: AlertSession,
  runtime: SessionRuntime | null,
  rows: {
    readonly stages: readonly Stage[];
    readonly executions: readonly AgentExecution[];
    readonly timeline: readonly TimelineEvent[];
  },
): object {
  const {
    session_id,
    resolved_config: _resolved,
    prompt_nonce: _nonce,
    teams,
    started_at,
    completed_at,
    ...columns
  } = session;
  return {
    ...withoutNulls({
      id: session_id,
      ...columns,
      teams: teams.length === 0 ? null : teams,
      started_at,
      completed_at,
      duration_ms:
        started_at === null || completed_at === null ? null : completed_at.getTime() - started_at.getTime(),
      waiting_for: runtime?.waiting_for ?? null,
      last_interaction_at: runtime?.last_interaction_at ?? null,
      input_tokens: runtime?.input_tokens ?? null,
      output_tokens: runtime?.output_tokens ?? null,
      thinking_tokens: runtime?.thinking_tokens ?? null,
      total_tokens: runtime?.total_tokens ?? null,
      last_seq: runtime?.last_seq ?? null,
      events_purged_at: runtime?.events_purged_at ?? null,
    }),
    edges: {},
    provider_fallback_count: rows.timeline.filter(isFallback).length,
    stages: rows.stages.map((stage) => ({
      ...withoutNulls(stage),
      executions: rows.executions
        .filter(({ stage_id }) => stage_id === stage.stage_id)
        .map((execution) => executionView(execution, rows.timeline)),
    })),
    timeline: rows.timeline.map(timelineEventView),
  };
}

/** One timeline row as JSON. */
export function timelineEventView(event: TimelineEvent): object {
  return withoutNulls(event);
}

function executionView(
  { iteration_state, ...execution }: AgentExecution,
  timeline: readonly TimelineEvent[],
): object {
  const { execution_id, original_llm_provider } = execution;
  const fallback =
    original_llm_provider === null
      ? undefined
      : timeline.findLast((event) => isFallback(event) && event.execution_id === execution_id);
  const { reason, error_code, attempt } = parseFallback(fallback?.metadata ?? {});
  return {
    ...withoutNulls(execution),
    iterations: iteration_state.iteration,
    // JSON has no undefined: without a change of providers these are absent.
    fallback_reason: reason,
    fallback_error_code: error_code,
    fallback_attempt: attempt,
  };
}

const parseFallback = compileParser(
  "metadata of a change of providers",
  Type.Object({
    reason: Type.Optional(Type.String()),
    error_code: Type.Optional(Type.String()),
    attempt: Type.Optional(Type.Integer()),
  }),
);

function isFallback({ event_type }: TimelineEvent): boolean {
  return event_type === "provider_fallback";
}

/** Removes the null members of a row. */
export function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
