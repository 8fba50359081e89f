import { alertPreview } from "#shared/alert-preview.ts";
import { stageCounts } from "#shared/contract-view/stage-counts.ts";
import { isChainStage, isTerminal } from "#shared/contracts/statuses.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Approval } from "#shared/database/tables/approvals.ts";
import type { SessionRuntime } from "#shared/database/tables/session-runtime.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import type { TimelineEvent } from "#shared/database/tables/timeline-events.ts";
import type { StoredConclusion } from "../conclusions/read-conclusion.ts";
import type { BudgetView } from "../budgets/contract.ts";
import type { readLineage } from "../forks/read-lineage.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import type { readAlertGroup } from "../incidents/read-alerts.ts";
import type { Scores } from "../scores/read-scores.ts";
import type { Failing } from "../sessions/list-schemas.ts";
import type { readUnreadSteering } from "../steering/read-unread.ts";
import { costMembers } from "./cost.ts";
import type { SessionStages } from "./read-stages.ts";
import type { SummaryCalls } from "./read-summary-calls.ts";
import { stageView } from "./stage-view.ts";

/** What a session is shown with. */
interface SessionRows {
  /** Whether the reader may change the session. */
  readonly mayChange: boolean;
  /** Whether the role of the reader allows to ask about it. */
  readonly mayAsk: boolean;
  readonly isMemoryEnabled: boolean;
  /** Whether the role of the reader allows to fork it. */
  readonly mayFork: boolean;
  /** What keeps failing in it. */
  readonly failing: Failing | null;
  readonly lineage: Awaited<ReturnType<typeof readLineage>>;
  readonly stages: SessionStages;
  /** The entries about changes of providers. */
  readonly fallbacks: readonly TimelineEvent[];
  /** The open ones. */
  readonly approvals: readonly Approval[];
  /** The alerts of its incident. */
  readonly alertGroup: Awaited<ReturnType<typeof readAlertGroup>>;
  /** Messages of people that not all agents have read. */
  readonly unreadMessages: Awaited<ReturnType<typeof readUnreadSteering>>;
  /** The calls for the executive summary; null without one. */
  readonly summary: SummaryCalls | null;
  readonly scores: Scores;
  readonly conclusion: StoredConclusion | null;
  /** Whether questions about it may be asked, and the chat that there is. */
  readonly chat: { readonly isOffered: boolean; readonly chatId: string | null };
  readonly budgets: readonly BudgetView[];
  readonly interactions: { readonly llm_interaction_count: number; readonly mcp_interaction_count: number };
}

/** A session without its timeline in the contract's shape: null where that says so, other null members left out. */
export function sessionView(
  session: AlertSession,
  runtime: SessionRuntime | null,
  rows: SessionRows,
  isCostEstimated: boolean,
) {
  const { shown, planned } = rows.stages;
  const chain = shown.flatMap(({ row, stage_type }) =>
    row !== null && stage_type !== "synthesis" && isChainStage(row) ? [row] : [],
  );
  const context = {
    session_id: session.session_id,
    completed_at: session.completed_at,
    fallbacks: rows.fallbacks,
    summary: rows.summary,
    summaryError: session.executive_summary_error,
    isCostEstimated,
  };
  return {
    ...ownMembers(session, runtime),
    ...contractMembers(session),
    latest_score: rows.scores.completed?.total_score ?? null,
    scoring_status: rows.scores.newest?.status ?? null,
    score_id: (rows.scores.completed ?? rows.scores.newest)?.score_id ?? null,
    ...conclusionMembers(rows.conclusion),
    ...withoutNulls({ failing: rows.failing }),
    chat_enabled: rows.chat.isOffered,
    chat_id: rows.chat.chatId,
    chat_message_count: runtime?.chat_message_count ?? 0,
    ...reviewMembers(session),
    cost_estimation_enabled: isCostEstimated,
    ...costMembers(runtime, isCostEstimated),
    ...rows.lineage,
    may_fork: rows.mayFork,
    may_change: rows.mayChange,
    may_ask: rows.mayAsk,
    memory_enabled: rows.isMemoryEnabled,
    budgets: rows.budgets,
    ...rows.interactions,
    input_tokens: runtime?.input_tokens ?? 0,
    output_tokens: runtime?.output_tokens ?? 0,
    thinking_tokens: runtime?.thinking_tokens ?? 0,
    total_tokens: runtime?.total_tokens ?? 0,
    ...stageCounts(session.status, shown, planned),
    has_parallel_stages: chain.some(({ expected_agent_count: agents }) => agents > 1),
    has_action_stages: chain.some(({ stage_type }) => stage_type === "action"),
    actions_executed: anyExecuted(chain),
    provider_fallback_count: rows.fallbacks.length,
    approvals: rows.approvals.map(({ approval_id, execution_id, tool, expires_at }) => ({
      approval_id,
      execution_id,
      tool,
      expires_at,
    })),
    unread_messages: rows.unreadMessages.map(({ content, ...message }) => ({
      ...message,
      ...(content === null ? {} : { content }),
    })),
    ...(rows.alertGroup === undefined ? {} : { alert_group: withoutNulls(rows.alertGroup) }),
    edges: {},
    stages: shown.map((stage, index) => stageView(stage, shown[index - 1], context)),
  };
}

/** Members that the contract has. */
function contractMembers(session: AlertSession) {
  const { started_at, completed_at, mcp_selection, slack_message_fingerprint } = session;
  return {
    id: session.session_id,
    alert_data: session.alert_data,
    alert_type: session.alert_type,
    status: session.status,
    priority: session.lane,
    chain_id: session.chain_id,
    author: session.author,
    error_message: session.error_message,
    final_analysis: session.final_analysis,
    executive_summary: session.executive_summary,
    executive_summary_error: session.executive_summary_error,
    runbook_url: session.runbook_url,
    ...withoutNulls({ mcp_selection, slack_message_fingerprint }),
    created_at: session.created_at,
    started_at,
    completed_at,
    duration_ms:
      started_at === null || completed_at === null ? null : completed_at.getTime() - started_at.getTime(),
  };
}

/** None for a session whose agents state no conclusion as data. */
function conclusionMembers(conclusion: StoredConclusion | null) {
  if (conclusion === null) return {};
  const { status: conclusion_status, claims_verified, claims_total } = conclusion;
  return { conclusion_status, claims_verified, claims_total };
}

function reviewMembers(session: AlertSession) {
  return {
    review_status: session.review_status,
    assignee: session.assignee,
    quality_rating: session.quality_rating,
    action_taken: session.action_taken,
    investigation_feedback: session.investigation_feedback,
    feedback_edited: session.feedback_edited,
    feedback_edited_by: session.feedback_edited_by,
    feedback_edited_at: session.feedback_edited_at,
    ...withoutNulls({ assigned_at: session.assigned_at }),
  };
}

/** Members that only TARSy in TypeScript has. */
function ownMembers(session: AlertSession, runtime: SessionRuntime | null) {
  const { agent_type, config_hash, pod_id, degraded, owner_subject, teams, session_metadata } = session;
  const { error_code } = session;
  return {
    alert_preview: alertPreview(session.alert_data),
    agent_type,
    config_hash,
    degraded,
    ...withoutNulls({
      error_code,
      session_metadata,
      owner_subject,
      reopened_from: session.reopened_from,
      pod_id,
      teams: teams.length === 0 ? null : teams,
      waiting_for: runtime?.waiting_for ?? null,
      parked: parkedView(session, runtime),
      cancelled: cancelledView(session, runtime),
      last_interaction_at: runtime?.last_interaction_at ?? null,
      last_seq: runtime?.last_seq ?? null,
      events_purged_at: runtime?.events_purged_at ?? null,
    }),
  };
}

/** Who cancelled it, as in lists; null if no person or program did. */
function cancelledView({ status }: AlertSession, runtime: SessionRuntime | null) {
  const { cancel_actor: by, cancel_requested_at: at } = runtime ?? {};
  return !by || !at || !status.startsWith("cancel") ? null : { by, at };
}

/** Whether any stage executed actions; null if of none it is known. */
function anyExecuted(stages: readonly Stage[]): boolean | null {
  const known = stages.flatMap(({ actions_executed }) => actions_executed ?? []);
  return known.length === 0 ? null : known.includes(true);
}

/** How a session is parked or asked to park, as shown; null if it is neither. */
function parkedView({ status }: AlertSession, runtime: SessionRuntime | null) {
  const { park_requested_at, park_by } = runtime ?? {};
  if (!park_requested_at || !park_by || isTerminal(status) || status === "cancelling") return null;
  return {
    by: park_by,
    requested_at: park_requested_at,
    ...withoutNulls({
      actor: runtime?.park_actor ?? null,
      reason: runtime?.park_reason ?? null,
      at: runtime?.parked_at ?? null,
      until: runtime?.park_until ?? null,
    }),
  };
}
