// Written by `npm run schemas`.

/** The hash of the baseline's statements. */
export const BASELINE_HASH = "e5b82d2440be1499";

/** The statements that create the triggers of the past; `schema` is the quoted identifier of the tables' schema. */
export const pastTriggersSql = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.tarsy_alert_sessions_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'alert_sessions', OLD.session_id, CASE WHEN OLD.status IS DISTINCT FROM NEW.status OR OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.pod_id IS DISTINCT FROM NEW.pod_id THEN jsonb_build_object('status', OLD.status, 'started_at', OLD.started_at, 'pod_id', OLD.pod_id) ELSE '{}' END
    || CASE WHEN OLD.current_stage_index IS DISTINCT FROM NEW.current_stage_index OR OLD.current_stage_id IS DISTINCT FROM NEW.current_stage_id THEN jsonb_build_object('current_stage_index', OLD.current_stage_index, 'current_stage_id', OLD.current_stage_id) ELSE '{}' END
    || CASE WHEN OLD.degraded IS DISTINCT FROM NEW.degraded THEN jsonb_build_object('degraded', OLD.degraded) ELSE '{}' END
    || CASE WHEN OLD.completed_at IS DISTINCT FROM NEW.completed_at THEN jsonb_build_object('completed_at', OLD.completed_at, 'error_message', OLD.error_message, 'error_code', OLD.error_code, 'final_analysis', OLD.final_analysis, 'executive_summary', OLD.executive_summary, 'executive_summary_error', OLD.executive_summary_error) ELSE '{}' END
    || CASE WHEN OLD.review_status IS DISTINCT FROM NEW.review_status OR OLD.assignee IS DISTINCT FROM NEW.assignee OR OLD.assigned_at IS DISTINCT FROM NEW.assigned_at OR OLD.quality_rating IS DISTINCT FROM NEW.quality_rating OR OLD.action_taken IS DISTINCT FROM NEW.action_taken OR OLD.investigation_feedback IS DISTINCT FROM NEW.investigation_feedback OR OLD.feedback_edited IS DISTINCT FROM NEW.feedback_edited OR OLD.feedback_edited_by IS DISTINCT FROM NEW.feedback_edited_by OR OLD.feedback_edited_at IS DISTINCT FROM NEW.feedback_edited_at THEN jsonb_build_object('review_status', OLD.review_status, 'assignee', OLD.assignee, 'assigned_at', OLD.assigned_at, 'quality_rating', OLD.quality_rating, 'action_taken', OLD.action_taken, 'investigation_feedback', OLD.investigation_feedback, 'feedback_edited', OLD.feedback_edited, 'feedback_edited_by', OLD.feedback_edited_by, 'feedback_edited_at', OLD.feedback_edited_at) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_runtime_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF NEW.last_seq > OLD.last_seq THEN
    IF current_setting('tarsy.kept_rows', true) <> '' THEN
      UPDATE ${schema}.row_history SET seq = NEW.last_seq
      WHERE ctid = ANY (string_to_array(current_setting('tarsy.kept_rows'), ';')::tid[])
        AND session_id = NEW.session_id AND seq < NEW.last_seq;
    END IF;
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  VALUES (OLD.session_id, NEW.last_seq, 'session_runtime', OLD.session_id, jsonb_build_object('last_seq', OLD.last_seq, 'last_interaction_at', OLD.last_interaction_at)
    || CASE WHEN OLD.llm_interaction_count IS DISTINCT FROM NEW.llm_interaction_count OR OLD.total_tokens IS DISTINCT FROM NEW.total_tokens THEN jsonb_build_object('llm_interaction_count', OLD.llm_interaction_count, 'input_tokens', OLD.input_tokens, 'output_tokens', OLD.output_tokens, 'thinking_tokens', OLD.thinking_tokens, 'total_tokens', OLD.total_tokens, 'cached_input_tokens', OLD.cached_input_tokens, 'estimated_cost_usd', OLD.estimated_cost_usd, 'priced_interaction_count', OLD.priced_interaction_count, 'unpriced_interaction_count', OLD.unpriced_interaction_count, 'unpriced_tokens', OLD.unpriced_tokens) ELSE '{}' END
    || CASE WHEN OLD.mcp_interaction_count IS DISTINCT FROM NEW.mcp_interaction_count THEN jsonb_build_object('mcp_interaction_count', OLD.mcp_interaction_count) ELSE '{}' END
    || CASE WHEN OLD.total_stages IS DISTINCT FROM NEW.total_stages OR OLD.completed_stages IS DISTINCT FROM NEW.completed_stages OR OLD.failed_stages IS DISTINCT FROM NEW.failed_stages OR OLD.provider_fallback_count IS DISTINCT FROM NEW.provider_fallback_count OR OLD.has_summary_stage IS DISTINCT FROM NEW.has_summary_stage THEN jsonb_build_object('total_stages', OLD.total_stages, 'completed_stages', OLD.completed_stages, 'failed_stages', OLD.failed_stages, 'provider_fallback_count', OLD.provider_fallback_count, 'has_parallel_stages', OLD.has_parallel_stages, 'has_action_stages', OLD.has_action_stages, 'has_summary_stage', OLD.has_summary_stage) ELSE '{}' END
    || CASE WHEN OLD.waiting_since IS DISTINCT FROM NEW.waiting_since THEN jsonb_build_object('waiting_for', OLD.waiting_for, 'waiting_since', OLD.waiting_since, 'paused_ms', OLD.paused_ms) ELSE '{}' END
    || CASE WHEN OLD.park_requested_at IS DISTINCT FROM NEW.park_requested_at OR OLD.park_by IS DISTINCT FROM NEW.park_by OR OLD.park_actor IS DISTINCT FROM NEW.park_actor OR OLD.park_until IS DISTINCT FROM NEW.park_until OR OLD.parked_at IS DISTINCT FROM NEW.parked_at THEN jsonb_build_object('park_requested_at', OLD.park_requested_at, 'park_by', OLD.park_by, 'park_actor', OLD.park_actor, 'park_reason', OLD.park_reason, 'park_until', OLD.park_until, 'parked_at', OLD.parked_at, 'resumed_at', OLD.resumed_at, 'parkings', OLD.parkings) ELSE '{}' END
    || CASE WHEN OLD.chat_message_count IS DISTINCT FROM NEW.chat_message_count THEN jsonb_build_object('chat_message_count', OLD.chat_message_count) ELSE '{}' END);
    RETURN NULL;
  END IF;
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  VALUES (OLD.session_id, NEW.last_seq, 'session_runtime', OLD.session_id, jsonb_build_object('last_seq', OLD.last_seq, 'last_interaction_at', OLD.last_interaction_at)
    || CASE WHEN OLD.llm_interaction_count IS DISTINCT FROM NEW.llm_interaction_count OR OLD.total_tokens IS DISTINCT FROM NEW.total_tokens THEN jsonb_build_object('llm_interaction_count', OLD.llm_interaction_count, 'input_tokens', OLD.input_tokens, 'output_tokens', OLD.output_tokens, 'thinking_tokens', OLD.thinking_tokens, 'total_tokens', OLD.total_tokens, 'cached_input_tokens', OLD.cached_input_tokens, 'estimated_cost_usd', OLD.estimated_cost_usd, 'priced_interaction_count', OLD.priced_interaction_count, 'unpriced_interaction_count', OLD.unpriced_interaction_count, 'unpriced_tokens', OLD.unpriced_tokens) ELSE '{}' END
    || CASE WHEN OLD.mcp_interaction_count IS DISTINCT FROM NEW.mcp_interaction_count THEN jsonb_build_object('mcp_interaction_count', OLD.mcp_interaction_count) ELSE '{}' END
    || CASE WHEN OLD.total_stages IS DISTINCT FROM NEW.total_stages OR OLD.completed_stages IS DISTINCT FROM NEW.completed_stages OR OLD.failed_stages IS DISTINCT FROM NEW.failed_stages OR OLD.provider_fallback_count IS DISTINCT FROM NEW.provider_fallback_count OR OLD.has_summary_stage IS DISTINCT FROM NEW.has_summary_stage THEN jsonb_build_object('total_stages', OLD.total_stages, 'completed_stages', OLD.completed_stages, 'failed_stages', OLD.failed_stages, 'provider_fallback_count', OLD.provider_fallback_count, 'has_parallel_stages', OLD.has_parallel_stages, 'has_action_stages', OLD.has_action_stages, 'has_summary_stage', OLD.has_summary_stage) ELSE '{}' END
    || CASE WHEN OLD.waiting_since IS DISTINCT FROM NEW.waiting_since THEN jsonb_build_object('waiting_for', OLD.waiting_for, 'waiting_since', OLD.waiting_since, 'paused_ms', OLD.paused_ms) ELSE '{}' END
    || CASE WHEN OLD.park_requested_at IS DISTINCT FROM NEW.park_requested_at OR OLD.park_by IS DISTINCT FROM NEW.park_by OR OLD.park_actor IS DISTINCT FROM NEW.park_actor OR OLD.park_until IS DISTINCT FROM NEW.park_until OR OLD.parked_at IS DISTINCT FROM NEW.parked_at THEN jsonb_build_object('park_requested_at', OLD.park_requested_at, 'park_by', OLD.park_by, 'park_actor', OLD.park_actor, 'park_reason', OLD.park_reason, 'park_until', OLD.park_until, 'parked_at', OLD.parked_at, 'resumed_at', OLD.resumed_at, 'parkings', OLD.parkings) ELSE '{}' END
    || CASE WHEN OLD.chat_message_count IS DISTINCT FROM NEW.chat_message_count THEN jsonb_build_object('chat_message_count', OLD.chat_message_count) ELSE '{}' END)
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_stages_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'stages', OLD.stage_id, jsonb_build_object('status', OLD.status, 'completed_at', OLD.completed_at, 'duration_ms', OLD.duration_ms, 'error_message', OLD.error_message, 'error_code', OLD.error_code, 'actions_executed', OLD.actions_executed, 'actions_claimed', OLD.actions_claimed)
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_stages_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'stages', NEW.stage_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_agent_executions_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF NEW.seq > OLD.seq THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  VALUES (OLD.session_id, NEW.seq, 'agent_executions', OLD.execution_id, jsonb_build_object('iteration_state', OLD.iteration_state, 'seq', OLD.seq)
    || CASE WHEN OLD.total_tokens IS DISTINCT FROM NEW.total_tokens OR OLD.priced_interaction_count IS DISTINCT FROM NEW.priced_interaction_count OR OLD.unpriced_interaction_count IS DISTINCT FROM NEW.unpriced_interaction_count THEN jsonb_build_object('input_tokens', OLD.input_tokens, 'output_tokens', OLD.output_tokens, 'thinking_tokens', OLD.thinking_tokens, 'total_tokens', OLD.total_tokens, 'cached_input_tokens', OLD.cached_input_tokens, 'estimated_cost_usd', OLD.estimated_cost_usd, 'priced_interaction_count', OLD.priced_interaction_count, 'unpriced_interaction_count', OLD.unpriced_interaction_count, 'unpriced_tokens', OLD.unpriced_tokens) ELSE '{}' END
    || CASE WHEN OLD.status IS DISTINCT FROM NEW.status OR OLD.started_at IS DISTINCT FROM NEW.started_at THEN jsonb_build_object('status', OLD.status, 'started_at', OLD.started_at, 'completed_at', OLD.completed_at, 'duration_ms', OLD.duration_ms, 'error_message', OLD.error_message, 'error_code', OLD.error_code) ELSE '{}' END
    || CASE WHEN OLD.llm_provider IS DISTINCT FROM NEW.llm_provider OR OLD.model_name IS DISTINCT FROM NEW.model_name OR OLD.original_llm_provider IS DISTINCT FROM NEW.original_llm_provider THEN jsonb_build_object('llm_provider', OLD.llm_provider, 'llm_backend', OLD.llm_backend, 'model_name', OLD.model_name, 'original_llm_provider', OLD.original_llm_provider, 'original_llm_backend', OLD.original_llm_backend, 'original_model_name', OLD.original_model_name) ELSE '{}' END
    || CASE WHEN OLD.delivered_at IS DISTINCT FROM NEW.delivered_at OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at THEN jsonb_build_object('delivered_at', OLD.delivered_at, 'cancel_requested_at', OLD.cancel_requested_at) ELSE '{}' END);
    RETURN NULL;
  END IF;
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'agent_executions', OLD.execution_id, jsonb_build_object('iteration_state', OLD.iteration_state, 'seq', OLD.seq)
    || CASE WHEN OLD.total_tokens IS DISTINCT FROM NEW.total_tokens OR OLD.priced_interaction_count IS DISTINCT FROM NEW.priced_interaction_count OR OLD.unpriced_interaction_count IS DISTINCT FROM NEW.unpriced_interaction_count THEN jsonb_build_object('input_tokens', OLD.input_tokens, 'output_tokens', OLD.output_tokens, 'thinking_tokens', OLD.thinking_tokens, 'total_tokens', OLD.total_tokens, 'cached_input_tokens', OLD.cached_input_tokens, 'estimated_cost_usd', OLD.estimated_cost_usd, 'priced_interaction_count', OLD.priced_interaction_count, 'unpriced_interaction_count', OLD.unpriced_interaction_count, 'unpriced_tokens', OLD.unpriced_tokens) ELSE '{}' END
    || CASE WHEN OLD.status IS DISTINCT FROM NEW.status OR OLD.started_at IS DISTINCT FROM NEW.started_at THEN jsonb_build_object('status', OLD.status, 'started_at', OLD.started_at, 'completed_at', OLD.completed_at, 'duration_ms', OLD.duration_ms, 'error_message', OLD.error_message, 'error_code', OLD.error_code) ELSE '{}' END
    || CASE WHEN OLD.llm_provider IS DISTINCT FROM NEW.llm_provider OR OLD.model_name IS DISTINCT FROM NEW.model_name OR OLD.original_llm_provider IS DISTINCT FROM NEW.original_llm_provider THEN jsonb_build_object('llm_provider', OLD.llm_provider, 'llm_backend', OLD.llm_backend, 'model_name', OLD.model_name, 'original_llm_provider', OLD.original_llm_provider, 'original_llm_backend', OLD.original_llm_backend, 'original_model_name', OLD.original_model_name) ELSE '{}' END
    || CASE WHEN OLD.delivered_at IS DISTINCT FROM NEW.delivered_at OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at THEN jsonb_build_object('delivered_at', OLD.delivered_at, 'cancel_requested_at', OLD.cancel_requested_at) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_messages_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF NEW.seq > OLD.seq THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  VALUES (OLD.session_id, NEW.seq, 'messages', OLD.message_id, jsonb_build_object('content', OLD.content, 'seq', OLD.seq));
    RETURN NULL;
  END IF;
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'messages', OLD.message_id, jsonb_build_object('content', OLD.content, 'seq', OLD.seq)
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_timeline_events_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF NEW.seq > OLD.seq THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  VALUES (OLD.session_id, NEW.seq, 'timeline_events', OLD.event_id, jsonb_build_object('seq', OLD.seq, 'updated_at', OLD.updated_at, 'status', OLD.status, 'llm_interaction_id', OLD.llm_interaction_id, 'mcp_interaction_id', OLD.mcp_interaction_id)
    || CASE WHEN OLD.content IS DISTINCT FROM NEW.content THEN jsonb_build_object('content', OLD.content) ELSE '{}' END
    || CASE WHEN OLD.metadata IS DISTINCT FROM NEW.metadata THEN jsonb_build_object('metadata', OLD.metadata) ELSE '{}' END);
    RETURN NULL;
  END IF;
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'timeline_events', OLD.event_id, jsonb_build_object('seq', OLD.seq, 'updated_at', OLD.updated_at, 'status', OLD.status, 'llm_interaction_id', OLD.llm_interaction_id, 'mcp_interaction_id', OLD.mcp_interaction_id)
    || CASE WHEN OLD.content IS DISTINCT FROM NEW.content THEN jsonb_build_object('content', OLD.content) ELSE '{}' END
    || CASE WHEN OLD.metadata IS DISTINCT FROM NEW.metadata THEN jsonb_build_object('metadata', OLD.metadata) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_approvals_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'approvals', OLD.approval_id, jsonb_build_object('state', OLD.state, 'decided_at', OLD.decided_at, 'decided_by', OLD.decided_by, 'reason', OLD.reason)
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_approvals_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'approvals', NEW.approval_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_steering_messages_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'steering_messages', NEW.message_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_steering_deliveries_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'steering_deliveries', md5(NEW.message_id::text || '/' || NEW.execution_id::text)::uuid, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_evidence_deliveries_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'evidence_deliveries', md5(NEW.execution_id::text || '/' || NEW.through::text)::uuid, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_memories_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'session_memories', md5(NEW.execution_id::text || '/' || NEW.memory_id::text)::uuid, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_group_alerts_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'group_alerts', NEW.alert_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_chats_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'chats', NEW.chat_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_scores_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'session_scores', OLD.score_id, jsonb_build_object('status', OLD.status, 'error_message', OLD.error_message, 'started_at', OLD.started_at, 'completed_at', OLD.completed_at, 'prompt_hash', OLD.prompt_hash, 'total_score', OLD.total_score, 'failure_tags', OLD.failure_tags)
    || CASE WHEN OLD.score_analysis IS DISTINCT FROM NEW.score_analysis OR OLD.tool_improvement_report IS DISTINCT FROM NEW.tool_improvement_report THEN jsonb_build_object('score_analysis', OLD.score_analysis, 'tool_improvement_report', OLD.tool_improvement_report) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_scores_keep_insert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'session_scores', NEW.score_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_alert_groups_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.session_id IS NOT NULL THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'alert_groups', OLD.session_id, to_jsonb(OLD)
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  IF NEW.session_id IS DISTINCT FROM OLD.session_id AND NEW.session_id IS NOT NULL THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT NEW.session_id, r.last_seq, 'alert_groups', NEW.session_id, NULL
  FROM ${schema}.session_runtime r WHERE r.session_id = NEW.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_alert_sessions_forget() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
BEGIN
  DELETE FROM ${schema}.row_history WHERE session_id = OLD.session_id;
  RETURN NULL;
END
$past$;

CREATE TRIGGER alert_sessions_keep_change AFTER UPDATE OF status, started_at, pod_id, current_stage_index, current_stage_id, degraded, completed_at, error_message, error_code, final_analysis, executive_summary, executive_summary_error, review_status, assignee, assigned_at, quality_rating, action_taken, investigation_feedback, feedback_edited, feedback_edited_by, feedback_edited_at ON alert_sessions FOR EACH ROW EXECUTE FUNCTION tarsy_alert_sessions_keep_change();

CREATE TRIGGER session_runtime_keep_change AFTER UPDATE OF last_seq, llm_interaction_count, input_tokens, output_tokens, thinking_tokens, total_tokens, cached_input_tokens, estimated_cost_usd, priced_interaction_count, unpriced_interaction_count, unpriced_tokens, mcp_interaction_count, total_stages, completed_stages, failed_stages, provider_fallback_count, has_parallel_stages, has_action_stages, has_summary_stage, waiting_for, waiting_since, paused_ms, park_requested_at, park_by, park_actor, park_reason, park_until, parked_at, resumed_at, parkings, chat_message_count ON session_runtime FOR EACH ROW EXECUTE FUNCTION tarsy_session_runtime_keep_change();

CREATE TRIGGER stages_keep_change AFTER UPDATE ON stages FOR EACH ROW EXECUTE FUNCTION tarsy_stages_keep_change();

CREATE TRIGGER stages_keep_insert AFTER INSERT ON stages FOR EACH ROW EXECUTE FUNCTION tarsy_stages_keep_insert();

CREATE TRIGGER agent_executions_keep_change AFTER UPDATE ON agent_executions FOR EACH ROW EXECUTE FUNCTION tarsy_agent_executions_keep_change();

CREATE TRIGGER messages_keep_change AFTER UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION tarsy_messages_keep_change();

CREATE TRIGGER timeline_events_keep_change AFTER UPDATE ON timeline_events FOR EACH ROW EXECUTE FUNCTION tarsy_timeline_events_keep_change();

CREATE TRIGGER approvals_keep_change AFTER UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_approvals_keep_change();

CREATE TRIGGER approvals_keep_insert AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_approvals_keep_insert();

CREATE TRIGGER steering_messages_keep_insert AFTER INSERT ON steering_messages FOR EACH ROW EXECUTE FUNCTION tarsy_steering_messages_keep_insert();

CREATE TRIGGER steering_deliveries_keep_insert AFTER INSERT ON steering_deliveries FOR EACH ROW EXECUTE FUNCTION tarsy_steering_deliveries_keep_insert();

CREATE TRIGGER evidence_deliveries_keep_insert AFTER INSERT ON evidence_deliveries FOR EACH ROW EXECUTE FUNCTION tarsy_evidence_deliveries_keep_insert();

CREATE TRIGGER session_memories_keep_insert AFTER INSERT ON session_memories FOR EACH ROW EXECUTE FUNCTION tarsy_session_memories_keep_insert();

CREATE TRIGGER group_alerts_keep_insert AFTER INSERT ON group_alerts FOR EACH ROW EXECUTE FUNCTION tarsy_group_alerts_keep_insert();

CREATE TRIGGER chats_keep_insert AFTER INSERT ON chats FOR EACH ROW EXECUTE FUNCTION tarsy_chats_keep_insert();

CREATE TRIGGER session_scores_keep_change AFTER UPDATE ON session_scores FOR EACH ROW EXECUTE FUNCTION tarsy_session_scores_keep_change();

CREATE TRIGGER session_scores_keep_insert AFTER INSERT ON session_scores FOR EACH ROW EXECUTE FUNCTION tarsy_session_scores_keep_insert();

CREATE TRIGGER alert_groups_keep_change AFTER UPDATE ON alert_groups FOR EACH ROW EXECUTE FUNCTION tarsy_alert_groups_keep_change();

CREATE TRIGGER alert_sessions_forget AFTER DELETE ON alert_sessions FOR EACH ROW EXECUTE FUNCTION tarsy_alert_sessions_forget();
`;
