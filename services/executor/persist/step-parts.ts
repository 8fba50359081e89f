import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import { EVIDENCE_DELIVERIES } from "#shared/database/tables/alert-groups.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";
import { BUDGET_LEDGER } from "#shared/database/tables/budgets.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { FOLLOW_UPS } from "#shared/database/tables/follow-ups.ts";
import { LLM_INTERACTIONS } from "#shared/database/tables/llm-interactions.ts";
import { MCP_INTERACTIONS } from "#shared/database/tables/mcp-interactions.ts";
import { INVESTIGATION_MEMORIES, SESSION_MEMORIES } from "#shared/database/tables/memories.ts";
import { MESSAGES } from "#shared/database/tables/messages.ts";
import { OUTBOX } from "#shared/database/tables/notifications.ts";
import { SESSION_SCORES } from "#shared/database/tables/session-scores.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import { STEERING_DELIVERIES } from "#shared/database/tables/steering.ts";
import { TIMELINE_EVENTS } from "#shared/database/tables/timeline-events.ts";
import { TOOL_RESULTS } from "#shared/database/tables/tool-calls.ts";
import { COST_SUMS, TOKENS } from "#shared/database/cost-sums.ts";
import type { StepRows } from "../state/step-rows.ts";
import { insertPart, recordset, type Part } from "./write-rows.ts";

/**
 * Whether the agents of a stage have changed something, by the records of their calls: true if a tool that does not only read
 * has succeeded; else null if it is not known of such a call whether it took effect; else false. A
 * call that is still running when its stage ends may yet take effect.
 */
const ACTIONS_EXECUTED = `(
      SELECT CASE WHEN bool_or(c.state = 'completed' AND c.is_error IS NOT TRUE) THEN true
                  WHEN bool_or(c.state = 'running' OR c.failure IN ('outcome_unknown', 'timeout', 'cancelled')) THEN NULL
                  ELSE false END
      FROM tool_calls c JOIN agent_executions e USING (execution_id)
      WHERE e.session_id = stages.session_id AND e.stage_id = stages.stage_id AND coalesce(c.effect <> 'read', NOT c.read_only))`;

/** When a row of the timeline was opened, which may be before its commit. */
const OPENED_AT = "now() - make_interval(secs => coalesce(r.age_ms, 0) / 1000)";

const SESSION_CHANGE = [
  "current_stage_index",
  "current_stage_id",
  "degraded",
  "status",
  "error_message",
  "error_code",
  "final_analysis",
  "executive_summary",
  "executive_summary_error",
] as const;
const STARTS = { starts: "boolean", ends: "boolean" } as const;
const ADDED = [...TOKENS, ...COST_SUMS] as const;
const EXECUTION_CHANGE = [
  "execution_id",
  "status",
  "error_message",
  "error_code",
  "iteration_state",
  "llm_provider",
  "llm_backend",
  "model_name",
  "original_llm_provider",
  "original_llm_backend",
  "original_model_name",
  ...ADDED,
] as const;

/**
 * The parts of a step's statement, in its order. Each takes its rows from one JSON parameter and its right to write from
 * `fence`: without a row there, it writes nothing. `fence.seq` is the session's newest event afterwards.
 */
export const STEP_PARTS: Readonly<Record<keyof StepRows, Part>> = {
  stages: insertPart(STAGES, {
    set: {
      started_at: "now()",
      completed_at: "CASE WHEN r.status <> 'active' THEN now() END",
      duration_ms: "CASE WHEN r.status <> 'active' THEN 0 END",
      ended_seq: "CASE WHEN r.status <> 'active' THEN fence.seq END",
      actions_executed: "CASE WHEN r.stage_type = 'action' AND r.status <> 'active' THEN false END",
    },
    without: ["chat_id", "chat_user_message_id"],
  }),
  stageEnds: (rows) => `
  UPDATE stages SET status = r.status, completed_at = now(), error_message = r.error_message, error_code = r.error_code,
    duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int, actions_claimed = r.actions_claimed,
    ended_seq = fence.seq,
    actions_executed = CASE WHEN stages.stage_type = 'action' THEN ${ACTIONS_EXECUTED} END
  FROM fence, ${recordset(STAGES, ["stage_id", "status", "error_message", "error_code", "actions_claimed"], rows)}
  WHERE stages.stage_id = r.stage_id`,
  executions: insertPart(AGENT_EXECUTIONS, {
    set: {
      started_at: "CASE WHEN r.starts THEN now() END",
      completed_at: "CASE WHEN r.ends THEN now() END",
      duration_ms: "CASE WHEN r.starts AND r.ends THEN 0 END",
      started_seq: "CASE WHEN r.starts THEN fence.seq END",
      ended_seq: "CASE WHEN r.ends THEN fence.seq END",
    },
    without: ["delivered_at", "cancel_requested_at"],
    further: STARTS,
  }),
  executionChanges: (rows) => `
  UPDATE agent_executions e SET
    status = coalesce(r.status, e.status),
    started_at = CASE WHEN r.starts THEN coalesce(e.started_at, now()) ELSE e.started_at END,
    completed_at = CASE WHEN r.ends THEN now() ELSE e.completed_at END,
    duration_ms = CASE WHEN r.ends THEN (extract(epoch FROM now() - CASE WHEN r.starts THEN coalesce(e.started_at, now())
                                          ELSE e.started_at END) * 1000)::int ELSE e.duration_ms END,
    error_message = CASE WHEN r.ends THEN r.error_message ELSE e.error_message END,
    error_code = CASE WHEN r.ends THEN r.error_code ELSE e.error_code END,
    iteration_state = coalesce(r.iteration_state, e.iteration_state),
    original_llm_provider = coalesce(e.original_llm_provider, r.original_llm_provider),
    original_llm_backend = CASE WHEN e.original_llm_provider IS NULL THEN r.original_llm_backend ELSE e.original_llm_backend END,
    original_model_name = CASE WHEN e.original_llm_provider IS NULL THEN r.original_model_name ELSE e.original_model_name END,
    llm_provider = coalesce(r.llm_provider, e.llm_provider),
    llm_backend = coalesce(r.llm_backend, e.llm_backend), model_name = coalesce(r.model_name, e.model_name),
    ${ADDED.map((name) => `${name} = e.${name} + r.${name}`).join(", ")},
    delivered_at = CASE WHEN r.delivered THEN coalesce(e.delivered_at, now()) ELSE e.delivered_at END,
    cancel_requested_at = CASE WHEN r.cancels THEN coalesce(e.cancel_requested_at, now()) ELSE e.cancel_requested_at END,
    started_seq = CASE WHEN r.starts THEN coalesce(e.started_seq, fence.seq) ELSE e.started_seq END,
    ended_seq = CASE WHEN r.ends THEN fence.seq ELSE e.ended_seq END
  FROM fence, ${recordset(AGENT_EXECUTIONS, EXECUTION_CHANGE, rows, { ...STARTS, delivered: "boolean", cancels: "boolean" })}
  WHERE e.execution_id = r.execution_id`,
  messages: insertPart(MESSAGES, {
    set: { provider_state: "decode(r.provider_state, 'base64')" },
    without: ["created_at"],
    further: { provider_state: "text" },
  }),
  messageChanges: (rows) => `
  UPDATE messages m SET content = r.content, seq = fence.seq
  FROM fence, ${recordset(MESSAGES, ["message_id", "content"], rows)}
  WHERE m.message_id = r.message_id`,
  llmInteractions: insertPart(LLM_INTERACTIONS, { without: ["created_at"] }),
  mcpInteractions: insertPart(MCP_INTERACTIONS, { without: ["created_at"] }),
  toolResults: insertPart(TOOL_RESULTS, { without: ["created_at"] }),
  timeline: insertPart(TIMELINE_EVENTS, {
    // The past has one time of a row that is still written: `derived-past.ts` takes the first.
    set: {
      created_at: OPENED_AT,
      updated_at: `CASE WHEN r.status = 'streaming' THEN ${OPENED_AT} ELSE now() END`,
    },
    further: { age_ms: "float8" },
  }),
  timelineEnds: (rows) => `
  UPDATE timeline_events t SET status = r.status, content = r.content, updated_at = now(), seq = fence.seq,
    metadata = coalesce(r.metadata, t.metadata),
    llm_interaction_id = coalesce(r.llm_interaction_id, t.llm_interaction_id)
  FROM fence, ${recordset(TIMELINE_EVENTS, ["event_id", "status", "content", "metadata", "llm_interaction_id"], rows)}
  WHERE t.event_id = r.event_id`,
  timelineLinks: (rows) => `
  UPDATE timeline_events t SET mcp_interaction_id = r.mcp_interaction_id, seq = fence.seq
  FROM fence, ${recordset(TIMELINE_EVENTS, ["event_id", "mcp_interaction_id"], rows)}
  WHERE t.event_id = r.event_id`,
  conclusions: insertPart(CONCLUSIONS, { without: ["created_at"] }),
  approvals: insertPart(APPROVALS, {
    set: { state: "'awaiting_approval'" },
    without: ["requested_at", "decided_at", "decided_by", "decided_via", "reason"],
  }),
  approvalEnds: (rows) => `
  UPDATE approvals a SET state = 'expired', decided_at = now()
  FROM fence, ${recordset(APPROVALS, ["approval_id"], rows)}
  WHERE a.approval_id = r.approval_id AND a.state = 'awaiting_approval'`,
  steeringDeliveries: insertPart(STEERING_DELIVERIES, { without: ["delivered_at"] }),
  evidenceDeliveries: insertPart(EVIDENCE_DELIVERIES, { without: ["delivered_at"] }),
  followUps: insertPart(FOLLOW_UPS, {
    without: [
      "status",
      "cancel_requested_at",
      "created_at",
      "started_at",
      "deadline_at",
      "completed_at",
      "error_message",
      "error_code",
      "is_indexed",
    ],
  }),
  // A score is open until its follow-up ends.
  scores: (rows) => `
  INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
  SELECT r.score_id, fence.session_id, r.stage_id, r.follow_up_id, r.score_triggered_by
  FROM fence, ${recordset(SESSION_SCORES, ["score_id", "stage_id", "follow_up_id", "score_triggered_by"], rows)}`,
  scoreChanges: (rows) => `
  UPDATE session_scores s SET
    status = coalesce(r.status, CASE WHEN r.starts THEN 'in_progress' ELSE s.status END),
    started_at = CASE WHEN r.starts THEN coalesce(s.started_at, now()) ELSE s.started_at END,
    completed_at = CASE WHEN r.ends THEN now() ELSE s.completed_at END,
    prompt_hash = coalesce(r.prompt_hash, s.prompt_hash), total_score = coalesce(r.total_score, s.total_score),
    score_analysis = coalesce(r.score_analysis, s.score_analysis),
    tool_improvement_report = coalesce(r.tool_improvement_report, s.tool_improvement_report),
    failure_tags = coalesce(r.failure_tags, s.failure_tags), error_message = r.error_message
  FROM fence, ${recordset(SESSION_SCORES, ["score_id", "prompt_hash", "status", "total_score", "score_analysis", "tool_improvement_report", "failure_tags", "error_message"], rows, STARTS)}
  WHERE s.score_id = r.score_id`,
  sessionMemories: insertPart(SESSION_MEMORIES, { without: ["injected_at"] }),
  // It belongs to the owner and the teams of its source, and has the rating of its review, which is read under the lock that a review takes.
  newMemories: (rows) => `
  INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, origin, rating, source_session_id,
                                      owner_subject, teams, alert_type, chain_id)
  SELECT r.memory_id, r.content, r.category, r.valence, r.base_confidence, r.origin,
         CASE WHEN r.origin = 'investigation' THEN locked.quality_rating END, s.session_id,
         s.owner_subject, s.teams, s.alert_type, s.chain_id
  FROM fence JOIN locked USING (session_id) JOIN alert_sessions s USING (session_id), ${recordset(INVESTIGATION_MEMORIES, ["memory_id", "content", "category", "valence", "base_confidence", "origin"], rows)}
  ON CONFLICT (memory_id) DO NOTHING`,
  // One that was deleted or deprecated meanwhile is not changed.
  memoryChanges: (rows) => `
  UPDATE investigation_memories m SET
    base_confidence = CASE WHEN r.change = 'reinforce' THEN least(1, m.base_confidence * 1.1) ELSE m.base_confidence END,
    seen_count = m.seen_count + CASE WHEN r.change = 'reinforce' THEN 1 ELSE 0 END,
    last_seen_at = now(), updated_at = now(),
    deprecation = CASE WHEN r.change = 'deprecate' THEN true ELSE m.deprecation END
  FROM fence, ${recordset(INVESTIGATION_MEMORIES, ["memory_id"], rows, { change: "text" })}
  WHERE m.memory_id = r.memory_id AND NOT m.deprecated`,
  followUpChanges: (rows) => `
  UPDATE follow_ups f SET
    status = coalesce(r.status, f.status),
    started_at = CASE WHEN r.timeout_ms IS NULL THEN f.started_at ELSE coalesce(f.started_at, now()) END,
    deadline_at = CASE WHEN r.timeout_ms IS NULL THEN f.deadline_at
                       ELSE coalesce(f.deadline_at, now() + make_interval(secs => r.timeout_ms / 1000)) END,
    completed_at = CASE WHEN r.ends THEN now() ELSE f.completed_at END,
    error_message = CASE WHEN r.ends THEN r.error_message ELSE f.error_message END,
    error_code = CASE WHEN r.ends THEN r.error_code ELSE f.error_code END
  FROM fence, ${recordset(FOLLOW_UPS, ["follow_up_id", "status", "error_message", "error_code"], rows, { timeout_ms: "float8", ends: "boolean" })}
  WHERE f.follow_up_id = r.follow_up_id`,
  // It inserts under the reservation's id and touches no account, so that no step waits for those of other sessions; a row that exists was settled before.
  budgetSettlements: (rows) => `${insertPart(BUDGET_LEDGER, { without: ["created_at"] })(rows)}
  ON CONFLICT DO NOTHING`,
  // A row for each destination which the session's plan names for the kind. The same news is sent once: `news` is its identity, without a full stop.
  notifications: (rows) => `
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT s.session_id, r.kind, d.key, r.news || ':' || d.key, r.payload
  FROM fence JOIN alert_sessions s USING (session_id), jsonb_each(s.notify) AS d, ${recordset(OUTBOX, ["kind", "payload"], rows, { news: "text" })}
  WHERE d.value ? r.kind
  ON CONFLICT DO NOTHING`,
  session: (rows) => `
  UPDATE alert_sessions s SET
    current_stage_index = coalesce(r.current_stage_index, s.current_stage_index),
    current_stage_id = coalesce(r.current_stage_id, s.current_stage_id),
    degraded = s.degraded OR r.degraded,
    status = coalesce(r.status, s.status),
    completed_at = CASE WHEN r.status IS NULL THEN s.completed_at ELSE now() END,
    error_message = CASE WHEN r.status IS NULL THEN s.error_message ELSE r.error_message END,
    error_code = CASE WHEN r.status IS NULL THEN s.error_code ELSE r.error_code END,
    final_analysis = CASE WHEN r.status IS NULL THEN s.final_analysis ELSE r.final_analysis END,
    executive_summary = CASE WHEN r.status IS NULL THEN s.executive_summary ELSE r.executive_summary END,
    executive_summary_error = CASE WHEN r.status IS NULL THEN s.executive_summary_error ELSE r.executive_summary_error END
  FROM fence, ${recordset(ALERT_SESSIONS, SESSION_CHANGE, rows)}
  WHERE s.session_id = fence.session_id`,
};
