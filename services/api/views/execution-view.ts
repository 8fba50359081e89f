import { Type } from "#shared/generated/typebox/typebox.mjs";
import { costMembers, withoutCostSums } from "./cost.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { summaryAgent } from "#shared/contract-view/shown-stages.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import type { SummaryCalls } from "./read-summary-calls.ts";
import { withoutNulls } from "../http/without-nulls.ts";

const USD_DECIMALS = 12;

/** What a session's executions are shown with. */
export interface ExecutionContext {
  /** The entries about changes of providers. */
  readonly fallbacks: readonly TimelineEvent[];
  /** The calls for the executive summary; null without one. */
  readonly summary: SummaryCalls | null;
  /** Why there is no executive summary. */
  readonly summaryError: string | null;
  readonly isCostEstimated: boolean;
}

/**
 * An execution in the contract's shape, with our own members. One that has started others has these as `sub_agents`, and its
 * tokens and costs include theirs.
 */
export function executionView(
  execution: AgentExecution,
  context: ExecutionContext,
  children: readonly AgentExecution[],
) {
  const { execution_id: parent_execution_id } = execution;
  const sub_agents = children.map((child) => ({ ...ownView(child, context, []), parent_execution_id }));
  return { ...ownView(execution, context, children), ...(children.length === 0 ? {} : { sub_agents }) };
}

function ownView(execution: AgentExecution, context: ExecutionContext, children: readonly AgentExecution[]) {
  const { fallbacks, summary, isCostEstimated } = context;
  const { iteration_state, started_at, completed_at, duration_ms, error_message, ...others } = execution;
  const columns = withoutCostSums(others);
  const { execution_id, original_llm_provider, llm_provider, llm_backend } = execution;
  const fallback =
    original_llm_provider === null
      ? undefined
      : fallbacks.findLast((event) => event.execution_id === execution_id);
  const { reason, error_code, attempt } = parseFallback(fallback?.metadata ?? {});
  return {
    ...withoutNulls(columns),
    llm_provider,
    llm_backend: llm_backend ?? "",
    started_at,
    completed_at,
    duration_ms,
    error_message,
    ...sumOf([ownTokens(execution, summary), ...children]),
    ...costMembers(exactSum([ownCosts(execution, summary), ...children]), isCostEstimated),
    iterations: iteration_state.iteration,
    // Without a change of providers these are absent.
    ...withoutNulls({
      fallback_reason: reason ?? null,
      fallback_error_code: error_code ?? null,
      fallback_attempt: attempt ?? null,
    }),
  };
}

/** Without those of the executive summary, which is shown as an execution of its own. */
function ownTokens(execution: AgentExecution, summary: SummaryCalls | null) {
  const others = summary?.execution_id === execution.execution_id ? summary : undefined;
  const own = (name: "input_tokens" | "output_tokens" | "thinking_tokens" | "total_tokens") =>
    Math.max(0, execution[name] - (others?.[name] ?? 0));
  return {
    input_tokens: own("input_tokens"),
    output_tokens: own("output_tokens"),
    thinking_tokens: own("thinking_tokens"),
    total_tokens: own("total_tokens"),
  };
}

function sumOf(all: readonly ReturnType<typeof ownTokens>[]): ReturnType<typeof ownTokens> {
  const sum = (name: keyof ReturnType<typeof ownTokens>) => all.reduce((total, one) => total + one[name], 0);
  return {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    thinking_tokens: sum("thinking_tokens"),
    total_tokens: sum("total_tokens"),
  };
}

function exactSum(all: readonly ReturnType<typeof ownCosts>[]): ReturnType<typeof ownCosts> {
  const sum = (name: keyof ReturnType<typeof ownCosts>) =>
    Number(all.reduce((total, one) => total + one[name], 0).toFixed(USD_DECIMALS));
  return {
    estimated_cost_usd: sum("estimated_cost_usd"),
    priced_interaction_count: sum("priced_interaction_count"),
    unpriced_interaction_count: sum("unpriced_interaction_count"),
  };
}

function ownCosts(execution: AgentExecution, summary: SummaryCalls | null) {
  const others = summary?.execution_id === execution.execution_id ? summary : undefined;
  const own = (name: "estimated_cost_usd" | "priced_interaction_count" | "unpriced_interaction_count") =>
    Math.max(0, exactDifference(execution[name], others?.[name] ?? 0));
  return {
    estimated_cost_usd: own("estimated_cost_usd"),
    priced_interaction_count: own("priced_interaction_count"),
    unpriced_interaction_count: own("unpriced_interaction_count"),
  };
}

/** Costs have twelve decimals; the difference of two binary fractions has more, which mean nothing. */
function exactDifference(sum: number, part: number): number {
  return Number((sum - part).toFixed(USD_DECIMALS));
}

/** The execution that the executive summary is shown with; it has no row. */
export function summaryExecution(
  { stage_id, session_id }: { readonly stage_id: string; readonly session_id: string },
  status: RunStatus,
  {
    summary,
    summaryError,
    isCostEstimated,
    times,
  }: ExecutionContext & {
    readonly times: { readonly started_at: Date | null; readonly completed_at: Date | null };
  },
) {
  const { started_at, completed_at } = times;
  return {
    ...summaryAgent(session_id),
    stage_id,
    status,
    llm_provider: summary?.llm_provider ?? null,
    llm_backend: summary?.llm_backend ?? "",
    ...(summary === null ? {} : { model_name: summary.model_name }),
    started_at,
    completed_at,
    duration_ms: summary?.duration_ms ?? null,
    error_message: summaryError,
    input_tokens: summary?.input_tokens ?? 0,
    output_tokens: summary?.output_tokens ?? 0,
    thinking_tokens: summary?.thinking_tokens ?? 0,
    total_tokens: summary?.total_tokens ?? 0,
    ...costMembers(summary, isCostEstimated),
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

/** True for the entry about a change of providers. */
export function isFallback({ event_type }: TimelineEvent): boolean {
  return event_type === "provider_fallback";
}
