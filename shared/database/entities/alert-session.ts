import { EntitySchema } from "typeorm";
import type { QualityRating, ReviewStatus } from "#shared/contracts/review.ts";
import type { ToolsMode } from "#shared/contracts/recorded-tools.ts";
import type { SessionLane } from "#shared/contracts/subjects.ts";
import { SESSION_STATUSES, type SessionStatus } from "#shared/contracts/statuses.ts";

/** One alert and its investigation. Columns that change with every step or heartbeat are in `session_runtime`. */
export interface AlertSession {
  session_id: string;
  /** Opaque text, at most 1 MiB in UTF-8. */
  alert_data: string;
  agent_type: string;
  alert_type: string | null;
  status: SessionStatus;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  error_message: string | null;
  /** Machine-readable companion of error_message, e.g. `session_deadline`. */
  error_code: string | null;
  final_analysis: string | null;
  executive_summary: string | null;
  executive_summary_error: string | null;
  session_metadata: object | null;
  author: string | null;
  /** Who submitted it, as authenticated; null without authentication. */
  owner_subject: string | null;
  /** The teams that may see it. */
  teams: string[];
  runbook_url: string | null;
  mcp_selection: object | null;
  chain_id: string;
  /** The configuration resolved at submission, which `parseResolvedChain` reads. */
  resolved_config: object;
  config_hash: string;
  /** How urgent it is, beside the other sessions that wait. */
  lane: SessionLane;
  current_stage_index: number | null;
  current_stage_id: string | null;
  /** The executor that claimed it last. */
  pod_id: string | null;
  slack_message_fingerprint: string | null;
  /** True if an agent went on without tools that it should have had. */
  degraded: boolean;
  /** Null while the session runs. */
  review_status: ReviewStatus | null;
  /** The name of who claimed the review last. */
  assignee: string | null;
  assigned_at: Date | null;
  quality_rating: QualityRating | null;
  /** What the reviewer did about the alert. */
  action_taken: string | null;
  /** What the reviewer says about the investigation. */
  investigation_feedback: string | null;
  /** The rating or a text was changed after the review was completed. */
  feedback_edited: boolean;
  feedback_edited_by: string | null;
  feedback_edited_at: Date | null;
  /** From then on the session is unknown to every reader. */
  deleted_at: Date | null;
  /** Random text of which the frames of its prompts are made; never shown. */
  prompt_nonce: string;
  /** The key of the digits in placeholders of masked values; never shown. */
  mask_key: string;
  /** Where the trace of its submission is (`shared/telemetry/trace-carrier.ts`); null if it was not traced. */
  trace_context: object | null;
  /** The session of the same incident that ended before this one began, which its agents are told of. */
  reopened_from: string | null;
  /** Where its news go (`NotifyPlan`); null if nobody is told. */
  notify: object | null;
  /** Whether its calls of tools are made, or answered from `recorded_tool_calls`. */
  tools_mode: ToolsMode;
  /** The session that it is a fork of, which may be gone by now. */
  forked_from: string | null;
  /** The number of that session's event after which the fork goes its own way. */
  forked_at_seq: number | null;
  /** What was changed (`ForkChanges`). */
  fork_changes: object | null;
}

export const AlertSessionEntity = new EntitySchema<AlertSession>({
  name: "AlertSession",
  tableName: "alert_sessions",
  columns: {
    session_id: { type: "uuid", primary: true },
    alert_data: { type: "text" },
    agent_type: { type: "text" },
    alert_type: { type: "text", nullable: true },
    status: { type: "enum", enum: SESSION_STATUSES, enumName: "session_status", default: "pending" },
    created_at: { type: "timestamptz", default: () => "now()" },
    started_at: { type: "timestamptz", nullable: true },
    completed_at: { type: "timestamptz", nullable: true },
    error_message: { type: "text", nullable: true },
    error_code: { type: "text", nullable: true },
    final_analysis: { type: "text", nullable: true },
    executive_summary: { type: "text", nullable: true },
    executive_summary_error: { type: "text", nullable: true },
    session_metadata: { type: "jsonb", nullable: true },
    author: { type: "text", nullable: true },
    owner_subject: { type: "text", nullable: true },
    teams: { type: "text", array: true, default: "{}" },
    runbook_url: { type: "text", nullable: true },
    mcp_selection: { type: "jsonb", nullable: true },
    chain_id: { type: "text" },
    resolved_config: { type: "jsonb" },
    config_hash: { type: "text" },
    lane: { type: "text", default: "normal" },
    current_stage_index: { type: "integer", nullable: true },
    current_stage_id: { type: "uuid", nullable: true },
    pod_id: { type: "text", nullable: true },
    slack_message_fingerprint: { type: "text", nullable: true },
    degraded: { type: "boolean", default: false },
    review_status: { type: "text", nullable: true },
    assignee: { type: "text", nullable: true },
    assigned_at: { type: "timestamptz", nullable: true },
    quality_rating: { type: "text", nullable: true },
    action_taken: { type: "text", nullable: true },
    investigation_feedback: { type: "text", nullable: true },
    feedback_edited: { type: "boolean", default: false },
    feedback_edited_by: { type: "text", nullable: true },
    feedback_edited_at: { type: "timestamptz", nullable: true },
    deleted_at: { type: "timestamptz", nullable: true },
    prompt_nonce: { type: "text", default: () => "(gen_random_uuid())" },
    mask_key: { type: "text", default: () => "(gen_random_uuid())" },
    trace_context: { type: "jsonb", nullable: true },
    reopened_from: { type: "uuid", nullable: true },
    notify: { type: "jsonb", nullable: true },
    tools_mode: { type: "text", default: "live" },
    forked_from: { type: "uuid", nullable: true },
    forked_at_seq: { type: "integer", nullable: true },
    fork_changes: { type: "jsonb", nullable: true },
  },
});
