/** Sessions: what was asked and what came of it, who runs them, what they used, and their reviews. */
export const SESSIONS = `
-- Unfinished sessions are not in the index by time of completion: each change of the status writes a new version of
-- the row into every index.
-- owner_subject, teams: who may see it; without an owner, operators. prompt_nonce: a random text that only its own
-- prompts contain. mask_key: its placeholders are made with it. trace_context: the trace that every owner continues.
-- lane: order among waiting sessions. notify: kinds of notifications by destination (NotifyPlan). degraded: it went
-- on without its tools. tools_mode 'recorded': its tool calls are answered from recorded_tool_calls.
-- The expressions of the indexes for sorting are those of services/api/sessions/session-order.ts.
CREATE TABLE alert_sessions (
  session_id uuid PRIMARY KEY,
  alert_data text NOT NULL,
  agent_type text NOT NULL,
  alert_type text,
  status session_status NOT NULL DEFAULT 'pending',
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  completed_at timestamptz,
  error_message text,
  error_code text,
  final_analysis text,
  executive_summary text,
  executive_summary_error text,
  session_metadata jsonb,
  author text,
  runbook_url text,
  mcp_selection jsonb,
  chain_id text NOT NULL,
  resolved_config jsonb NOT NULL,
  config_hash text NOT NULL,
  current_stage_index integer,
  current_stage_id uuid,
  pod_id text,
  slack_message_fingerprint text,
  deleted_at timestamptz,
  degraded boolean NOT NULL DEFAULT false,
  owner_subject text,
  teams text[] NOT NULL DEFAULT '{}',
  prompt_nonce text NOT NULL DEFAULT gen_random_uuid()::text,
  mask_key text NOT NULL DEFAULT gen_random_uuid()::text,
  review_status text,
  assignee text,
  assigned_at timestamptz,
  quality_rating text,
  action_taken text,
  investigation_feedback text,
  feedback_edited boolean NOT NULL DEFAULT false,
  feedback_edited_by text,
  feedback_edited_at timestamptz,
  trace_context jsonb,
  lane text NOT NULL DEFAULT 'normal',
  notify jsonb,
  reopened_from uuid,
  tools_mode text NOT NULL DEFAULT 'live' CHECK (tools_mode IN ('live', 'recorded')),
  forked_from uuid,
  forked_at_seq integer,
  fork_changes jsonb,
  CONSTRAINT ended_means_terminal
    CHECK ((completed_at IS NOT NULL) = (status IN ('completed','failed','cancelled','timed_out'))),
  CONSTRAINT review_status_known CHECK (review_status IN ('needs_review', 'in_progress', 'reviewed')),
  CONSTRAINT quality_rating_known CHECK (quality_rating IN ('accurate', 'partially_accurate', 'inaccurate')),
  CONSTRAINT review_follows_end CHECK ((review_status IS NULL) = (completed_at IS NULL)),
  CONSTRAINT lane_known CHECK (lane IN ('critical', 'normal', 'low'))
) WITH (fillfactor = 80);
CREATE INDEX alert_sessions_status_created ON alert_sessions (status, created_at);
CREATE INDEX alert_sessions_status_started ON alert_sessions (status, started_at);
CREATE INDEX alert_sessions_agent_type ON alert_sessions (agent_type);
CREATE INDEX alert_sessions_deleted ON alert_sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX alert_sessions_unfinished ON alert_sessions (created_at)
  WHERE status IN ('pending','in_progress','cancelling') AND deleted_at IS NULL;
CREATE INDEX alert_sessions_completed ON alert_sessions (completed_at)
  WHERE completed_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_created ON alert_sessions (created_at, session_id) INCLUDE (alert_type, chain_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_alert_type ON alert_sessions (alert_type, created_at, session_id);
CREATE INDEX alert_sessions_chain_id ON alert_sessions (chain_id, created_at, session_id);
CREATE INDEX alert_sessions_by_alert_type ON alert_sessions (coalesce(alert_type, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_author ON alert_sessions (coalesce(author, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_duration ON alert_sessions
  (coalesce(extract(epoch FROM completed_at - started_at)::float8, -1), created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_known_duration ON alert_sessions
  (coalesce(extract(epoch FROM completed_at - started_at)::float8, 'Infinity'), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_owner ON alert_sessions (owner_subject, created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_teams ON alert_sessions USING gin (teams) WITH (fastupdate = off)
  WHERE deleted_at IS NULL AND teams <> '{}';
CREATE INDEX alert_sessions_review ON alert_sessions (review_status, created_at, session_id)
  WHERE review_status IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_review_assignee ON alert_sessions (assignee, review_status, created_at, session_id)
  WHERE assignee IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_by_rating ON alert_sessions (coalesce(quality_rating, ''), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_known_rating ON alert_sessions (coalesce(quality_rating, '~'), created_at, session_id)
  WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_waiting ON alert_sessions (lane, created_at, session_id)
  WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX alert_sessions_forked_from ON alert_sessions (forked_from, created_at) WHERE forked_from IS NOT NULL;

CREATE FUNCTION tarsy_await_indexing() RETURNS trigger LANGUAGE plpgsql AS $await_indexing$
BEGIN
  INSERT INTO search_progress (session_id, created_at) VALUES (NEW.session_id, NEW.created_at);
  RETURN NULL;
END
$await_indexing$;
CREATE TRIGGER alert_sessions_await_indexing AFTER INSERT ON alert_sessions FOR EACH ROW
  EXECUTE FUNCTION tarsy_await_indexing();

CREATE FUNCTION tarsy_begin_review() RETURNS trigger LANGUAGE plpgsql AS $begin_review$
BEGIN
  NEW.review_status := CASE
    WHEN NEW.status IN ('completed', 'failed', 'timed_out') THEN 'needs_review'
    WHEN NEW.status = 'cancelled' THEN 'reviewed'
  END;
  RETURN NEW;
END
$begin_review$;
CREATE TRIGGER alert_sessions_begin_review BEFORE INSERT OR UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN ((NEW.review_status IS NULL) = (NEW.status IN ('completed', 'failed', 'cancelled', 'timed_out')))
  EXECUTE FUNCTION tarsy_begin_review();

CREATE FUNCTION tarsy_notify_of_session() RETURNS trigger LANGUAGE plpgsql AS $notify_of_session$
DECLARE
  news text := CASE NEW.status WHEN 'in_progress' THEN 'session.started' ELSE 'session.ended' END;
BEGIN
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT NEW.session_id, news, d.key, replace(news, '.', '-') || ':' || NEW.session_id || ':' || d.key, '{}'
  FROM jsonb_each(NEW.notify) AS d WHERE d.value ? news
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$notify_of_session$;
CREATE TRIGGER alert_sessions_notify AFTER UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN (NEW.notify IS NOT NULL AND NEW.status <> OLD.status
        AND NEW.status IN ('in_progress', 'completed', 'failed', 'cancelled', 'timed_out'))
  EXECUTE FUNCTION tarsy_notify_of_session();

-- What changes with every heartbeat and step, apart from the large rows and without an index on these columns.
-- inbox_seq rises when another writer writes what the session's owner must read.
-- cancelled_follow_ups repeats which open ones are cancelled: the fence of a step
-- must find it in the row that it locks. waiting_for, waiting_since, paused_ms: what it waits for, and how long it
-- has waited. parks_epoch: the epoch whose owner reads requests to park.
CREATE TABLE session_runtime (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  lease_owner text,
  lease_epoch integer NOT NULL DEFAULT 0,
  lease_expires_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz,
  cancel_requested_at timestamptz,
  cancel_actor text,
  last_seq integer NOT NULL DEFAULT 0,
  last_interaction_at timestamptz,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  thinking_tokens bigint NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0,
  waiting_for jsonb,
  waiting_since timestamptz,
  paused_ms bigint NOT NULL DEFAULT 0,
  interruptions integer NOT NULL DEFAULT 0,
  events_purged_at timestamptz,
  inbox_seq integer NOT NULL DEFAULT 0,
  erase_requested_at timestamptz,
  llm_interaction_count integer NOT NULL DEFAULT 0,
  mcp_interaction_count integer NOT NULL DEFAULT 0,
  provider_fallback_count integer NOT NULL DEFAULT 0,
  chat_message_count integer NOT NULL DEFAULT 0,
  total_stages integer NOT NULL DEFAULT 0,
  completed_stages integer NOT NULL DEFAULT 0,
  failed_stages integer NOT NULL DEFAULT 0,
  has_parallel_stages boolean NOT NULL DEFAULT false,
  has_action_stages boolean NOT NULL DEFAULT false,
  has_summary_stage boolean NOT NULL DEFAULT false,
  cached_input_tokens bigint NOT NULL DEFAULT 0,
  estimated_cost_usd numeric(24, 12) NOT NULL DEFAULT 0,
  priced_interaction_count integer NOT NULL DEFAULT 0,
  unpriced_interaction_count integer NOT NULL DEFAULT 0,
  unpriced_tokens bigint NOT NULL DEFAULT 0,
  cancelled_follow_ups uuid[] NOT NULL DEFAULT '{}',
  place_id uuid,
  place_epoch integer,
  park_requested_at timestamptz,
  park_by text,
  park_actor text,
  park_reason text,
  park_until timestamptz,
  parked_at timestamptz,
  resumed_at timestamptz,
  parkings integer NOT NULL DEFAULT 0,
  parks_epoch integer
) WITH (fillfactor = 50);
CREATE INDEX session_runtime_not_purged ON session_runtime (session_id) WHERE events_purged_at IS NULL;
CREATE INDEX session_runtime_to_erase ON session_runtime (erase_requested_at) WHERE erase_requested_at IS NOT NULL;

-- What each session has used of each model.
CREATE TABLE session_model_usage (
  session_id uuid NOT NULL REFERENCES session_runtime ON DELETE CASCADE,
  model_name text NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  thinking_tokens bigint NOT NULL,
  total_tokens bigint NOT NULL,
  estimated_cost_usd numeric(24, 12) NOT NULL,
  priced_interaction_count integer NOT NULL,
  unpriced_interaction_count integer NOT NULL,
  unpriced_tokens bigint NOT NULL,
  PRIMARY KEY (session_id, model_name)
) WITH (fillfactor = 80);

CREATE TABLE idempotency_keys (
  key text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  request_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX idempotency_keys_session ON idempotency_keys (session_id);
CREATE INDEX idempotency_keys_expires ON idempotency_keys (expires_at);

-- Who did what in a review. The trigger alert_sessions_begin_review is the one place that decides the status with
-- which a review begins (in TypeScript: reviewAtEnd), whichever process ends the session.
CREATE TABLE session_review_activities (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  actor text NOT NULL,
  action text NOT NULL,
  from_status text,
  to_status text NOT NULL,
  quality_rating text,
  note text,
  investigation_feedback text,
  created_at timestamptz NOT NULL
);
CREATE INDEX session_review_activities_session ON session_review_activities (session_id, id);

-- What commits have overwritten of a session's rows; the triggers of generated/baseline.ts write it. before: the
-- overwritten columns of the row row_key; null: the row did not exist. seq: the session's newest event after the commit.
-- id gives the order of changes within one commit; no index serves it. No foreign key: that would be a query for each
-- row; a trigger deletes what is left when a session goes.
CREATE TABLE row_history (
  id bigint GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL,
  row_key uuid NOT NULL,
  seq integer NOT NULL,
  table_name text NOT NULL,
  before jsonb
);
CREATE INDEX row_history_of_row ON row_history (session_id, table_name, row_key, seq);
`;
