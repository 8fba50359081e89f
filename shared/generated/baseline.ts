// Written by `npm run schemas`.

/** The hash of the baseline's statements. */
export const BASELINE_HASH = "a7ed5ebfc03df4fd";

/** The statements that create the tables. */
export const BASELINE_TABLES = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TYPE session_status AS ENUM ('pending', 'in_progress', 'cancelling', 'completed', 'failed', 'cancelled', 'timed_out');
CREATE TYPE parallel_type AS ENUM ('multi_agent', 'replica');
CREATE TYPE success_policy AS ENUM ('all', 'any');
CREATE TYPE run_status AS ENUM ('pending', 'active', 'completed', 'failed', 'cancelled', 'timed_out');
CREATE TYPE iteration_strategy AS ENUM ('single-call', 'react', 'native-thinking', 'synthesis', 'synthesis-native-thinking', 'scoring', 'memory-extraction');
CREATE TYPE message_role AS ENUM ('system', 'user', 'assistant', 'tool');
CREATE TYPE llm_interaction_type AS ENUM ('iteration', 'final_analysis', 'executive_summary', 'chat_response', 'forced_conclusion', 'synthesis', 'summarization', 'scoring', 'memory_extraction', 'conclusion');
CREATE TYPE mcp_interaction_type AS ENUM ('tool_call', 'tool_list');
CREATE TYPE timeline_event_type AS ENUM ('llm_thinking', 'llm_response', 'llm_tool_call', 'tool_result', 'mcp_tool_call', 'mcp_tool_summary', 'error', 'user_question', 'executive_summary', 'final_analysis', 'code_execution', 'google_search_result', 'url_context_result', 'provider_fallback', 'skill_loaded', 'task_assigned', 'memory_injected');
CREATE TYPE timeline_status AS ENUM ('streaming', 'completed', 'failed', 'cancelled', 'timed_out');
CREATE TYPE tool_call_state AS ENUM ('running', 'completed', 'failed', 'abandoned');
CREATE TABLE resolved_configs (
  config_hash text PRIMARY KEY,
  config jsonb NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  session_timeout_ms bigint GENERATED ALWAYS AS ((config ->> 'session_timeout_ms')::float8::bigint) STORED,
  budgets jsonb GENERATED ALWAYS AS (config -> 'budgets') STORED
);
CREATE INDEX resolved_configs_used ON resolved_configs (used_at);
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
  tools_mode text NOT NULL DEFAULT 'live',
  world_hash text,
  forked_from uuid,
  forked_at_seq integer,
  fork_changes jsonb,
  CONSTRAINT ended_means_terminal CHECK ((completed_at IS NOT NULL) = (status IN ('completed','failed','cancelled','timed_out'))),
  CONSTRAINT review_follows_end CHECK ((review_status IS NULL) = (completed_at IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX alert_sessions_status_created ON alert_sessions (status, created_at);
CREATE INDEX alert_sessions_deleted ON alert_sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX alert_sessions_running ON alert_sessions (created_at) WHERE status IN ('in_progress','cancelling') AND deleted_at IS NULL;
CREATE INDEX alert_sessions_completed ON alert_sessions (completed_at) WHERE completed_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_created ON alert_sessions (created_at, session_id) INCLUDE (alert_type, chain_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_chain_id ON alert_sessions (chain_id, created_at, session_id);
CREATE INDEX alert_sessions_by_alert_type ON alert_sessions (coalesce(alert_type, ''), created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_author ON alert_sessions (coalesce(author, ''), created_at, session_id) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_by_duration ON alert_sessions ((extract(epoch FROM completed_at - started_at)::float8), created_at, session_id) WHERE completed_at IS NOT NULL AND started_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_owner ON alert_sessions (owner_subject, created_at, session_id) WHERE owner_subject IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_teams ON alert_sessions USING gin (teams) WITH (fastupdate = off) WHERE deleted_at IS NULL AND teams <> '{}';
CREATE INDEX alert_sessions_review ON alert_sessions (review_status, created_at, session_id) WHERE review_status IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_review_assignee ON alert_sessions (assignee, review_status, created_at, session_id) WHERE assignee IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_by_rating ON alert_sessions (quality_rating, created_at, session_id) WHERE quality_rating IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX alert_sessions_waiting ON alert_sessions (lane, created_at, session_id) WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX alert_sessions_forked_from ON alert_sessions (forked_from, created_at) WHERE forked_from IS NOT NULL;
CREATE INDEX alert_sessions_unfinished ON alert_sessions (status, lane, created_at, session_id) WHERE status IN ('pending','in_progress','cancelling');
CREATE TABLE session_runtime (
  session_id uuid PRIMARY KEY,
  lease_owner text,
  lease_epoch integer NOT NULL DEFAULT 0,
  last_step uuid,
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
  is_out_of_place boolean NOT NULL GENERATED ALWAYS AS (place_id IS NOT NULL AND (lease_expires_at IS NULL OR place_id <> session_id)) STORED,
  park_requested_at timestamptz,
  park_by text,
  park_actor text,
  park_reason text,
  park_until timestamptz,
  parked_at timestamptz,
  resumed_at timestamptz,
  parkings integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX session_runtime_not_purged ON session_runtime (session_id) WHERE events_purged_at IS NULL;
CREATE INDEX session_runtime_out_of_place ON session_runtime (session_id) WHERE is_out_of_place;
CREATE INDEX session_runtime_to_erase ON session_runtime (erase_requested_at) WHERE erase_requested_at IS NOT NULL;
CREATE TABLE session_model_usage (
  session_id uuid REFERENCES session_runtime ON DELETE CASCADE,
  model_name text,
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
CREATE TABLE session_review_activities (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
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
CREATE TABLE row_history (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL,
  row_key uuid NOT NULL,
  seq integer NOT NULL,
  table_name text NOT NULL,
  before jsonb
);
CREATE INDEX row_history_of_row ON row_history (session_id, table_name, row_key, seq);
CREATE TABLE texts (
  hash text PRIMARY KEY,
  body text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX texts_used ON texts (used_at);
CREATE TABLE needed_texts (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  hash text REFERENCES texts,
  PRIMARY KEY (session_id, hash)
);
CREATE INDEX needed_texts_hash ON needed_texts (hash);
CREATE TABLE session_runbooks (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  hash text REFERENCES texts,
  failure text,
  settled_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT session_runbooks_settled CHECK (hash IS NOT NULL OR failure IS NOT NULL)
);
CREATE TABLE masked_values (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  digest text,
  digits text NOT NULL,
  length integer NOT NULL,
  kind text NOT NULL,
  PRIMARY KEY (session_id, digest)
);
CREATE TABLE search_progress (
  session_id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  indexed_seq integer,
  is_complete boolean NOT NULL DEFAULT false
);
CREATE INDEX search_progress_open ON search_progress (created_at) WHERE NOT is_complete;
CREATE TABLE session_texts (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  kind text CHECK (kind IN ('alert', 'analysis')),
  content text NOT NULL,
  PRIMARY KEY (session_id, kind)
);
CREATE INDEX session_texts_content ON session_texts USING gin (content gin_trgm_ops);
CREATE TABLE timeline_words (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  indexed_seq integer,
  part integer,
  words tsvector NOT NULL,
  PRIMARY KEY (session_id, indexed_seq, part)
);
CREATE INDEX timeline_words_words ON timeline_words USING gin (words);
CREATE TABLE chats (
  chat_id uuid PRIMARY KEY,
  session_id uuid NOT NULL UNIQUE REFERENCES alert_sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text,
  chain_id text NOT NULL,
  pod_id text,
  last_interaction_at timestamptz
);
CREATE INDEX chats_created ON chats (created_at);
CREATE TABLE chat_user_messages (
  message_id uuid PRIMARY KEY,
  chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  content text NOT NULL,
  author text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_user_messages_chat ON chat_user_messages (chat_id, created_at);
CREATE TABLE stages (
  stage_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_name text NOT NULL,
  stage_index integer NOT NULL CHECK (stage_index >= 0),
  expected_agent_count integer NOT NULL CHECK (expected_agent_count > 0),
  parallel_type parallel_type,
  success_policy success_policy,
  status run_status NOT NULL DEFAULT 'pending',
  started_at timestamptz,
  completed_at timestamptz,
  duration_ms integer,
  error_message text,
  error_code text,
  chat_id uuid REFERENCES chats ON DELETE SET NULL,
  chat_user_message_id uuid UNIQUE REFERENCES chat_user_messages ON DELETE SET NULL,
  stage_type text NOT NULL DEFAULT 'investigation',
  seq integer,
  ended_seq integer,
  actions_executed boolean,
  actions_claimed boolean,
  UNIQUE (session_id, stage_index)
);
CREATE INDEX stages_chat ON stages (chat_id) WHERE chat_id IS NOT NULL;
CREATE TABLE agent_executions (
  execution_id uuid PRIMARY KEY,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  session_id uuid NOT NULL,
  agent_name text NOT NULL,
  agent_index integer NOT NULL CHECK (agent_index >= 1),
  status run_status NOT NULL DEFAULT 'pending',
  started_at timestamptz,
  completed_at timestamptz,
  duration_ms integer,
  error_message text,
  error_code text,
  iteration_strategy iteration_strategy NOT NULL,
  iteration_state jsonb NOT NULL,
  llm_provider text NOT NULL,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  thinking_tokens bigint NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0,
  seq integer,
  started_seq integer,
  ended_seq integer,
  llm_backend text,
  model_name text,
  original_llm_provider text,
  original_llm_backend text,
  original_model_name text,
  cached_input_tokens bigint NOT NULL DEFAULT 0,
  estimated_cost_usd numeric(24, 12) NOT NULL DEFAULT 0,
  priced_interaction_count integer NOT NULL DEFAULT 0,
  unpriced_interaction_count integer NOT NULL DEFAULT 0,
  unpriced_tokens bigint NOT NULL DEFAULT 0,
  parent_execution_id uuid REFERENCES agent_executions ON DELETE CASCADE,
  task text,
  delivered_at timestamptz,
  cancel_requested_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX agent_executions_session ON agent_executions (session_id);
CREATE UNIQUE INDEX agent_executions_of_stage ON agent_executions (stage_id, agent_index) WHERE parent_execution_id IS NULL;
CREATE UNIQUE INDEX agent_executions_of_parent ON agent_executions (parent_execution_id, agent_index) WHERE parent_execution_id IS NOT NULL;
CREATE TABLE messages (
  message_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  sequence_number integer NOT NULL,
  role message_role NOT NULL,
  content text NOT NULL,
  tool_calls jsonb,
  tool_call_id text,
  tool_name text,
  provider_state bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  seq integer,
  UNIQUE (execution_id, sequence_number),
  CONSTRAINT content_or_calls CHECK (content <> '' OR tool_calls IS NOT NULL OR role = 'tool'),
  CONSTRAINT calls_on_assistant CHECK (tool_calls IS NULL OR role = 'assistant'),
  CONSTRAINT result_on_tool CHECK ((role = 'tool') = (tool_call_id IS NOT NULL) AND (role = 'tool') = (tool_name IS NOT NULL))
);
CREATE INDEX messages_session ON messages (session_id);
CREATE TABLE llm_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  interaction_type llm_interaction_type NOT NULL,
  model_name text NOT NULL,
  last_message_id uuid,
  llm_request jsonb NOT NULL,
  llm_response jsonb NOT NULL,
  thinking_content text,
  input_tokens integer,
  output_tokens integer,
  thinking_tokens integer,
  total_tokens integer,
  duration_ms integer,
  error_message text,
  error_code text,
  seq integer,
  cached_input_tokens integer,
  cache_write_tokens integer,
  estimated_cost_usd numeric(24, 12),
  price_source text
);
CREATE INDEX llm_interactions_session ON llm_interactions (session_id);
CREATE INDEX llm_interactions_execution ON llm_interactions (execution_id, created_at);
CREATE TABLE mcp_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  interaction_type mcp_interaction_type NOT NULL,
  server_name text NOT NULL,
  tool_name text,
  tool_arguments jsonb,
  tool_result jsonb,
  available_tools jsonb,
  duration_ms integer,
  error_message text,
  seq integer,
  outcome jsonb
);
CREATE INDEX mcp_interactions_session ON mcp_interactions (session_id);
CREATE INDEX mcp_interactions_execution ON mcp_interactions (execution_id, created_at);
CREATE TABLE timeline_events (
  event_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  sequence_number integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  event_type timeline_event_type NOT NULL,
  status timeline_status NOT NULL DEFAULT 'streaming',
  content text NOT NULL,
  metadata jsonb,
  llm_interaction_id uuid,
  mcp_interaction_id uuid,
  first_seq integer,
  seq integer,
  UNIQUE (execution_id, sequence_number)
) WITH (fillfactor = 80);
CREATE INDEX timeline_events_session ON timeline_events (session_id, sequence_number);
CREATE TABLE conclusions (
  execution_id uuid,
  attempt integer,
  session_id uuid NOT NULL,
  contract text NOT NULL,
  rules integer NOT NULL,
  status text NOT NULL CHECK (status IN ('confirmed', 'likely', 'inconclusive', 'unchecked')),
  stated_status text CHECK (stated_status IN ('confirmed', 'likely', 'inconclusive')),
  confidence integer,
  body jsonb,
  remarks jsonb NOT NULL,
  checked jsonb NOT NULL,
  claims_verified integer NOT NULL,
  claims_total integer NOT NULL,
  seq integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, attempt)
);
CREATE INDEX conclusions_session ON conclusions (session_id, seq);
CREATE INDEX conclusions_unread ON conclusions (created_at) WHERE status = 'unchecked';
CREATE TABLE events (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL,
  seq integer NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, seq)
);
CREATE TABLE follow_ups (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('chat', 'score', 'feedback')),
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  status run_status NOT NULL DEFAULT 'pending',
  config_hash text NOT NULL,
  asked_by text NOT NULL,
  cancel_requested_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  deadline_at timestamptz,
  completed_at timestamptz,
  error_message text,
  error_code text,
  is_indexed boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX follow_ups_open ON follow_ups (session_id, kind) WHERE status IN ('pending', 'active');
CREATE INDEX follow_ups_waiting ON follow_ups (created_at) WHERE status IN ('pending', 'active');
CREATE INDEX follow_ups_session ON follow_ups (session_id);
CREATE INDEX follow_ups_to_index ON follow_ups (session_id) WHERE status NOT IN ('pending', 'active') AND NOT is_indexed;
CREATE TABLE session_scores (
  score_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  follow_up_id uuid NOT NULL UNIQUE REFERENCES follow_ups ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'memorizing', 'completed', 'failed', 'cancelled')),
  total_score integer CHECK (total_score BETWEEN 0 AND 100),
  score_analysis text,
  tool_improvement_report text,
  failure_tags text[] NOT NULL DEFAULT '{}',
  prompt_hash text,
  score_triggered_by text NOT NULL,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  completed_at timestamptz,
  CHECK (status <> 'completed' OR total_score IS NOT NULL)
);
CREATE UNIQUE INDEX session_scores_open ON session_scores (session_id) WHERE status IN ('pending', 'in_progress', 'memorizing');
CREATE INDEX session_scores_newest ON session_scores (session_id, created_at DESC, score_id);
CREATE TABLE waiting_feedback (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  feedback text NOT NULL,
  asked_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX waiting_feedback_session ON waiting_feedback (session_id, created_at);
CREATE TABLE investigation_memories (
  memory_id uuid PRIMARY KEY,
  project text NOT NULL DEFAULT 'default',
  content text NOT NULL,
  category text NOT NULL CHECK (category IN ('semantic', 'episodic', 'procedural')),
  valence text NOT NULL CHECK (valence IN ('positive', 'negative', 'neutral')),
  base_confidence real NOT NULL CHECK (base_confidence > 0 AND base_confidence <= 1),
  origin text NOT NULL DEFAULT 'investigation' CHECK (origin IN ('investigation', 'feedback')),
  rating text CHECK (rating IN ('accurate', 'partially_accurate', 'inaccurate')),
  confidence real NOT NULL GENERATED ALWAYS AS (least(1, base_confidence * CASE rating WHEN 'accurate' THEN 1.2 WHEN 'partially_accurate' THEN 0.6 ELSE 1 END)) STORED,
  deprecation boolean,
  deprecated boolean NOT NULL GENERATED ALWAYS AS (coalesce(deprecation, rating = 'inaccurate', false)) STORED,
  seen_count integer NOT NULL DEFAULT 1,
  source_session_id uuid REFERENCES alert_sessions ON DELETE SET NULL,
  owner_subject text,
  teams text[] NOT NULL DEFAULT '{}',
  alert_type text,
  chain_id text,
  tsv tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  embedding real[],
  embedding_model text,
  CONSTRAINT investigation_memories_embedding CHECK ((embedding IS NULL) = (embedding_model IS NULL))
);
CREATE INDEX investigation_memories_source ON investigation_memories (source_session_id);
CREATE INDEX investigation_memories_created ON investigation_memories (created_at, memory_id);
CREATE INDEX investigation_memories_words ON investigation_memories USING gin (tsv) WHERE NOT deprecated;
CREATE TABLE session_memories (
  execution_id uuid,
  memory_id uuid,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  position integer NOT NULL,
  injected_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, memory_id)
);
CREATE INDEX session_memories_session ON session_memories (session_id);
CREATE TABLE steering_messages (
  message_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  mode text NOT NULL CHECK (mode IN ('note', 'conclude', 'skip_tool')),
  content text,
  author text NOT NULL,
  execution_id uuid,
  targets uuid[],
  after_stage integer NOT NULL,
  after_agent integer NOT NULL,
  calls uuid[] NOT NULL,
  request_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  is_from_alert boolean NOT NULL DEFAULT false,
  UNIQUE (session_id, ordinal)
);
CREATE TABLE steering_deliveries (
  message_id uuid,
  execution_id uuid,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, execution_id)
);
CREATE INDEX steering_deliveries_session ON steering_deliveries (session_id);
CREATE TABLE tool_calls (
  call_id text PRIMARY KEY,
  session_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  epoch integer NOT NULL,
  name text NOT NULL,
  read_only boolean NOT NULL,
  state tool_call_state NOT NULL,
  result text,
  is_error boolean,
  started_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz,
  failure text,
  alive_until timestamptz,
  effect text,
  phase text,
  runner uuid,
  CONSTRAINT failure_on_failed CHECK ((state = 'failed') = (failure IS NOT NULL)),
  CONSTRAINT alive_on_running CHECK ((state = 'running') = (alive_until IS NOT NULL))
);
CREATE INDEX tool_calls_session ON tool_calls (session_id);
CREATE INDEX tool_calls_execution ON tool_calls (execution_id);
CREATE INDEX tool_calls_with_result ON tool_calls (completed_at) WHERE result IS NOT NULL;
CREATE TABLE tool_results (
  call_id text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  bytes integer NOT NULL,
  lines integer NOT NULL,
  content text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tool_results_session ON tool_results (session_id);
CREATE INDEX tool_results_created ON tool_results (created_at);
CREATE TABLE approvals (
  approval_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid NOT NULL,
  call_id text NOT NULL UNIQUE,
  tool text NOT NULL,
  arguments text NOT NULL,
  arguments_hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('awaiting_approval', 'approved', 'denied', 'expired')),
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by text,
  decided_via text,
  reason text
);
CREATE INDEX approvals_session ON approvals (session_id);
CREATE TABLE mcp_server_states (
  server text,
  runner uuid,
  host text NOT NULL,
  state text NOT NULL CHECK (state IN ('healthy', 'degraded', 'down', 'misconfigured', 'unused')),
  era text,
  version text,
  tools jsonb NOT NULL,
  error_code text,
  error text,
  last_check_at timestamptz,
  last_error_at timestamptz,
  since timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server, runner)
);
CREATE TABLE mcp_cleanups (
  server text,
  execution_id uuid,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  due_at timestamptz,
  tries integer NOT NULL DEFAULT 0,
  PRIMARY KEY (server, execution_id)
);
CREATE TABLE mcp_authorizations (
  server text PRIMARY KEY,
  sealed bytea,
  generation integer NOT NULL DEFAULT 1,
  claimed_until timestamptz,
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE mcp_connects (
  state_hash bytea PRIMARY KEY,
  server text NOT NULL,
  sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE TABLE recorded_tool_calls (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer,
  execution_id uuid NOT NULL,
  iteration integer,
  call_index integer,
  server_name text NOT NULL,
  tool_name text NOT NULL,
  arguments jsonb NOT NULL,
  outcome jsonb NOT NULL,
  kept jsonb,
  used_by text,
  PRIMARY KEY (session_id, ordinal)
);
CREATE INDEX recorded_tool_calls_tool ON recorded_tool_calls (session_id, server_name, tool_name, ordinal);
CREATE TABLE recorded_tool_lists (
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid,
  server_name text,
  ordinal integer NOT NULL,
  available_tools jsonb NOT NULL,
  tool_result jsonb,
  error_message text,
  PRIMARY KEY (session_id, execution_id, server_name)
);
CREATE TABLE worlds (
  hash text PRIMARY KEY,
  servers jsonb NOT NULL,
  miss text NOT NULL
);
CREATE TABLE world_answers (
  hash text REFERENCES worlds ON DELETE CASCADE,
  ordinal integer,
  tool text NOT NULL,
  args jsonb NOT NULL,
  key_hash text NOT NULL,
  match text NOT NULL CHECK (match IN ('equal', 'subset', 'any')),
  nth integer NOT NULL,
  text text NOT NULL,
  is_error boolean NOT NULL,
  PRIMARY KEY (hash, ordinal)
);
CREATE INDEX world_answers_key ON world_answers (hash, tool, key_hash);
CREATE TABLE world_calls (
  call_id text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  tool text NOT NULL,
  key_hash text NOT NULL,
  nth integer NOT NULL,
  match text NOT NULL CHECK (match IN ('answer', 'absent', 'miss'))
);
CREATE INDEX world_calls_key ON world_calls (session_id, tool, key_hash);
CREATE TABLE alert_notifications (
  key text PRIMARY KEY,
  source text NOT NULL,
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  body text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX alert_notifications_received ON alert_notifications (received_at);
CREATE INDEX alert_notifications_session ON alert_notifications (session_id) WHERE session_id IS NOT NULL;
CREATE TABLE alert_group_secrets (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  secret text NOT NULL
);
CREATE TABLE alert_groups (
  group_key text PRIMARY KEY,
  session_id uuid UNIQUE REFERENCES alert_sessions ON DELETE CASCADE,
  chain_id text NOT NULL,
  window_ms bigint NOT NULL,
  count integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  reopened integer NOT NULL DEFAULT 0,
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  announced_at timestamptz,
  resolved_at timestamptz,
  is_cancelled boolean NOT NULL DEFAULT false
);
CREATE TABLE group_alerts (
  alert_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  group_key text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('opened', 'reopened', 'linked', 'counted')),
  is_resolved boolean NOT NULL,
  effect text CHECK (effect IN ('conclude', 'cancel')),
  author text NOT NULL,
  source_key text,
  data text,
  bytes integer NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (session_id, ordinal)
);
CREATE TABLE evidence_deliveries (
  execution_id uuid,
  through integer,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  alerts integer NOT NULL,
  characters integer NOT NULL,
  sequence_number integer NOT NULL,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, through)
);
CREATE INDEX evidence_deliveries_session ON evidence_deliveries (session_id);
CREATE TABLE outbox (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL,
  destination text NOT NULL,
  dedup_key text NOT NULL UNIQUE,
  payload jsonb NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'dropped', 'dead')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  not_before timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  lease_token uuid,
  lease_expires_at timestamptz,
  is_unsure boolean NOT NULL DEFAULT false,
  last_error text,
  receipt jsonb,
  settled_at timestamptz,
  CHECK ((settled_at IS NULL) = (state = 'pending'))
);
CREATE INDEX outbox_pending ON outbox (destination, not_before, id) WHERE state = 'pending';
CREATE INDEX outbox_session ON outbox (session_id, destination, id);
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE state <> 'pending';
CREATE TABLE notification_destinations (
  destination text PRIMARY KEY,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  not_before timestamptz,
  last_error text,
  stopped_address text
);
CREATE TABLE external_events (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL,
  event_key text NOT NULL,
  ordering_key text NOT NULL,
  kind text NOT NULL,
  actor text NOT NULL,
  payload jsonb NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'refused', 'dead')),
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  not_before timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  lease_token uuid,
  lease_expires_at timestamptz,
  result jsonb,
  awaits text CHECK (awaits IN ('eyes', 'read', 'check', 'answer', 'text', 'decided')),
  last_error text,
  settled_at timestamptz,
  UNIQUE (source, event_key),
  CHECK ((settled_at IS NULL) = (state = 'pending'))
);
CREATE INDEX external_events_pending ON external_events (source, ordering_key, occurred_at, id) WHERE state = 'pending';
CREATE INDEX external_events_awaiting ON external_events (awaits, not_before) WHERE awaits IS NOT NULL;
CREATE INDEX external_events_settled ON external_events (settled_at) WHERE state <> 'pending';
CREATE TABLE slack_threads (
  channel text,
  thread_ts text,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  message_ts text,
  body_sha256 text,
  is_live boolean NOT NULL DEFAULT false,
  flush_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  flushing_until timestamptz,
  touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (channel, thread_ts)
);
CREATE INDEX slack_threads_session ON slack_threads (session_id);
CREATE INDEX slack_threads_message ON slack_threads (channel, message_ts) WHERE message_ts IS NOT NULL;
CREATE INDEX slack_threads_live ON slack_threads (flush_at) WHERE is_live;
CREATE INDEX slack_threads_touched ON slack_threads (touched_at);
CREATE TABLE slack_channels (
  channel text PRIMARY KEY,
  next_at timestamptz NOT NULL
);
CREATE TABLE executors (
  executor_id uuid PRIMARY KEY,
  pod_id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  stopped_at timestamptz,
  slots integer NOT NULL
);
CREATE TABLE llm_circuits (
  provider text,
  entry_hash text,
  first_failure_at timestamptz NOT NULL DEFAULT now(),
  first_session uuid NOT NULL,
  last_error text NOT NULL,
  opened_at timestamptz,
  failed_probes integer NOT NULL DEFAULT 0,
  probe_at timestamptz,
  probe_by uuid,
  probe_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, entry_hash)
);
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  secret_hash bytea NOT NULL,
  subject text NOT NULL,
  roles text[] NOT NULL,
  teams text[] NOT NULL DEFAULT '{}',
  scopes text[] NOT NULL DEFAULT '{read,write}',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE TABLE ws_tickets (
  ticket_hash bytea PRIMARY KEY,
  identity jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ws_tickets_expiry ON ws_tickets (expires_at);
CREATE TABLE page_sessions (
  session_hash bytea PRIMARY KEY,
  identity jsonb NOT NULL,
  id_token text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX page_sessions_expiry ON page_sessions (expires_at);
CREATE TABLE audit_log (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  service text NOT NULL,
  subject text NOT NULL,
  via text NOT NULL,
  peer text,
  action text NOT NULL,
  session_id uuid,
  result text NOT NULL,
  detail jsonb
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_session ON audit_log (session_id) WHERE session_id IS NOT NULL;
CREATE TABLE schema_support (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  needs_migration integer NOT NULL
);
CREATE TABLE budgets (
  scope text CHECK (scope IN ('session', 'chain', 'team', 'day')),
  key text,
  period text CHECK (period IN ('session', 'day', 'month')),
  limit_usd numeric(18, 6) CHECK (limit_usd > 0),
  limit_tokens bigint CHECK (limit_tokens > 0),
  limit_calls bigint CHECK (limit_calls > 0),
  soft_ratio numeric(4, 3) NOT NULL CHECK (soft_ratio > 0 AND soft_ratio <= 1),
  set_by text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, key, period),
  CHECK (coalesce(limit_usd, limit_tokens, limit_calls) IS NOT NULL),
  CHECK ((scope = 'session') = (period = 'session')),
  CHECK (scope NOT IN ('session', 'day') OR key = '*')
);
CREATE TABLE budget_accounts (
  account text PRIMARY KEY COLLATE "C",
  scope text NOT NULL,
  key text NOT NULL,
  period text NOT NULL,
  session_id uuid REFERENCES alert_sessions ON DELETE CASCADE,
  used_usd numeric(24, 12) NOT NULL DEFAULT 0,
  used_tokens bigint NOT NULL DEFAULT 0,
  used_calls bigint NOT NULL DEFAULT 0,
  reserved_usd numeric(24, 12) NOT NULL DEFAULT 0,
  reserved_tokens bigint NOT NULL DEFAULT 0,
  reserved_calls bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_accounts_session ON budget_accounts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX budget_accounts_created ON budget_accounts (created_at) WHERE session_id IS NULL;
CREATE TABLE budget_reservations (
  reservation_id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('call', 'conclusion')),
  session_id uuid NOT NULL,
  lease_epoch integer NOT NULL,
  execution_id uuid,
  accounts text[] NOT NULL,
  usd numeric(24, 12) NOT NULL,
  tokens bigint NOT NULL,
  calls bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_reservations_session ON budget_reservations (session_id);
CREATE TABLE budget_ledger (
  reservation_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  usd numeric(24, 12) NOT NULL,
  tokens bigint NOT NULL,
  calls bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX budget_ledger_session ON budget_ledger (session_id);
ALTER TABLE resolved_configs ALTER config SET STORAGE EXTERNAL;

CREATE FUNCTION tarsy_await_indexing() RETURNS trigger LANGUAGE plpgsql AS $await_indexing$
BEGIN
  INSERT INTO search_progress (session_id, created_at) VALUES (NEW.session_id, NEW.created_at);
  RETURN NULL;
END
$await_indexing$;
CREATE TRIGGER alert_sessions_await_indexing AFTER INSERT ON alert_sessions FOR EACH ROW
  EXECUTE FUNCTION tarsy_await_indexing();
CREATE FUNCTION tarsy_forget_fork() RETURNS trigger LANGUAGE plpgsql AS $forget_fork$
BEGIN
  DELETE FROM resolved_configs WHERE config_hash = OLD.config_hash;
  RETURN NULL;
END
$forget_fork$;
CREATE TRIGGER alert_sessions_forget_fork AFTER DELETE ON alert_sessions FOR EACH ROW
  WHEN (OLD.forked_from IS NOT NULL) EXECUTE FUNCTION tarsy_forget_fork();
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
  WHEN ((NEW.review_status IS NULL) <> (NEW.completed_at IS NULL))
  EXECUTE FUNCTION tarsy_begin_review();
CREATE FUNCTION tarsy_notify_of_session() RETURNS trigger LANGUAGE plpgsql AS $notify_of_session$
DECLARE
  news text := CASE NEW.status WHEN 'in_progress' THEN 'session.started' ELSE 'session.ended' END;
BEGIN
  IF NEW.status <> OLD.status AND NEW.status IN ('in_progress', 'completed', 'failed', 'cancelled', 'timed_out') THEN
    INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
    SELECT NEW.session_id, news, d.key, replace(news, '.', '-') || ':' || NEW.session_id || ':' || d.key, '{}'
    FROM jsonb_each(NEW.notify) AS d WHERE d.value ? news
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$notify_of_session$;
CREATE TRIGGER alert_sessions_notify AFTER UPDATE OF status ON alert_sessions FOR EACH ROW
  WHEN (NEW.notify IS NOT NULL) EXECUTE FUNCTION tarsy_notify_of_session();


CREATE FUNCTION tarsy_drop_embedding() RETURNS trigger LANGUAGE plpgsql AS $drop_embedding$
BEGIN
  IF NEW.content IS DISTINCT FROM OLD.content THEN
    NEW.embedding := NULL;
    NEW.embedding_model := NULL;
  END IF;
  RETURN NEW;
END
$drop_embedding$;
CREATE TRIGGER investigation_memories_drop_embedding BEFORE UPDATE OF content ON investigation_memories FOR EACH ROW
  EXECUTE FUNCTION tarsy_drop_embedding();


CREATE FUNCTION tarsy_notify_of_approval() RETURNS trigger LANGUAGE plpgsql AS $notify_of_approval$
BEGIN
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT NEW.session_id, 'approval.requested', d.key, 'approval-requested:' || NEW.approval_id || ':' || d.key,
         jsonb_build_object('approval_id', NEW.approval_id)
  FROM alert_sessions s, jsonb_each(s.notify) AS d
  WHERE s.session_id = NEW.session_id AND d.value ? 'approval.requested'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$notify_of_approval$;
CREATE TRIGGER approvals_notify AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_notify_of_approval();

INSERT INTO alert_group_secrets (secret) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
INSERT INTO schema_support (needs_migration) VALUES (0);`;

/** The statements that create the triggers of the past; `schema` is the quoted identifier of the tables' schema. */
export const pastTriggersSql = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.tarsy_alert_sessions_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.status IS DISTINCT FROM NEW.status OR OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.pod_id IS DISTINCT FROM NEW.pod_id OR OLD.degraded IS DISTINCT FROM NEW.degraded OR OLD.completed_at IS DISTINCT FROM NEW.completed_at OR OLD.review_status IS DISTINCT FROM NEW.review_status OR OLD.assignee IS DISTINCT FROM NEW.assignee OR OLD.assigned_at IS DISTINCT FROM NEW.assigned_at OR OLD.quality_rating IS DISTINCT FROM NEW.quality_rating OR OLD.action_taken IS DISTINCT FROM NEW.action_taken OR OLD.investigation_feedback IS DISTINCT FROM NEW.investigation_feedback OR OLD.feedback_edited IS DISTINCT FROM NEW.feedback_edited OR OLD.feedback_edited_by IS DISTINCT FROM NEW.feedback_edited_by OR OLD.feedback_edited_at IS DISTINCT FROM NEW.feedback_edited_at THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'alert_sessions', OLD.session_id, CASE WHEN OLD.status IS DISTINCT FROM NEW.status OR OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.pod_id IS DISTINCT FROM NEW.pod_id THEN jsonb_build_object('status', OLD.status, 'started_at', OLD.started_at, 'pod_id', OLD.pod_id) ELSE '{}' END
    || CASE WHEN OLD.degraded IS DISTINCT FROM NEW.degraded THEN jsonb_build_object('degraded', OLD.degraded) ELSE '{}' END
    || CASE WHEN OLD.completed_at IS DISTINCT FROM NEW.completed_at THEN jsonb_build_object('completed_at', OLD.completed_at, 'error_message', OLD.error_message, 'error_code', OLD.error_code, 'final_analysis', OLD.final_analysis, 'executive_summary', OLD.executive_summary, 'executive_summary_error', OLD.executive_summary_error) ELSE '{}' END
    || CASE WHEN OLD.review_status IS DISTINCT FROM NEW.review_status THEN jsonb_build_object('review_status', OLD.review_status) ELSE '{}' END
    || CASE WHEN OLD.assignee IS DISTINCT FROM NEW.assignee OR OLD.assigned_at IS DISTINCT FROM NEW.assigned_at OR OLD.quality_rating IS DISTINCT FROM NEW.quality_rating OR OLD.action_taken IS DISTINCT FROM NEW.action_taken OR OLD.investigation_feedback IS DISTINCT FROM NEW.investigation_feedback OR OLD.feedback_edited IS DISTINCT FROM NEW.feedback_edited OR OLD.feedback_edited_by IS DISTINCT FROM NEW.feedback_edited_by OR OLD.feedback_edited_at IS DISTINCT FROM NEW.feedback_edited_at THEN jsonb_build_object('assignee', OLD.assignee, 'assigned_at', OLD.assigned_at, 'quality_rating', OLD.quality_rating, 'action_taken', OLD.action_taken, 'investigation_feedback', OLD.investigation_feedback, 'feedback_edited', OLD.feedback_edited, 'feedback_edited_by', OLD.feedback_edited_by, 'feedback_edited_at', OLD.feedback_edited_at) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_runtime_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.waiting_since IS DISTINCT FROM NEW.waiting_since OR OLD.park_requested_at IS DISTINCT FROM NEW.park_requested_at OR OLD.park_by IS DISTINCT FROM NEW.park_by OR OLD.park_actor IS DISTINCT FROM NEW.park_actor OR OLD.park_until IS DISTINCT FROM NEW.park_until OR OLD.parked_at IS DISTINCT FROM NEW.parked_at OR OLD.chat_message_count IS DISTINCT FROM NEW.chat_message_count THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'session_runtime', OLD.session_id, CASE WHEN OLD.waiting_since IS DISTINCT FROM NEW.waiting_since THEN jsonb_build_object('waiting_for', OLD.waiting_for, 'waiting_since', OLD.waiting_since, 'paused_ms', OLD.paused_ms) ELSE '{}' END
    || CASE WHEN OLD.park_requested_at IS DISTINCT FROM NEW.park_requested_at OR OLD.park_by IS DISTINCT FROM NEW.park_by OR OLD.park_actor IS DISTINCT FROM NEW.park_actor OR OLD.park_until IS DISTINCT FROM NEW.park_until OR OLD.parked_at IS DISTINCT FROM NEW.parked_at THEN jsonb_build_object('park_requested_at', OLD.park_requested_at, 'park_by', OLD.park_by, 'park_actor', OLD.park_actor, 'park_reason', OLD.park_reason, 'park_until', OLD.park_until, 'parked_at', OLD.parked_at, 'resumed_at', OLD.resumed_at, 'parkings', OLD.parkings) ELSE '{}' END
    || CASE WHEN OLD.chat_message_count IS DISTINCT FROM NEW.chat_message_count THEN jsonb_build_object('chat_message_count', OLD.chat_message_count) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
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

CREATE OR REPLACE FUNCTION ${schema}.tarsy_agent_executions_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.iteration_state - 'iteration' IS DISTINCT FROM NEW.iteration_state - 'iteration' OR OLD.llm_provider IS DISTINCT FROM NEW.llm_provider OR OLD.model_name IS DISTINCT FROM NEW.model_name OR OLD.original_llm_provider IS DISTINCT FROM NEW.original_llm_provider OR OLD.delivered_at IS DISTINCT FROM NEW.delivered_at OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'agent_executions', OLD.execution_id, CASE WHEN OLD.iteration_state - 'iteration' IS DISTINCT FROM NEW.iteration_state - 'iteration' THEN jsonb_build_object('iteration_state', OLD.iteration_state) ELSE '{}' END
    || CASE WHEN OLD.llm_provider IS DISTINCT FROM NEW.llm_provider OR OLD.model_name IS DISTINCT FROM NEW.model_name OR OLD.original_llm_provider IS DISTINCT FROM NEW.original_llm_provider THEN jsonb_build_object('llm_provider', OLD.llm_provider, 'llm_backend', OLD.llm_backend, 'model_name', OLD.model_name, 'original_llm_provider', OLD.original_llm_provider, 'original_llm_backend', OLD.original_llm_backend, 'original_model_name', OLD.original_model_name) ELSE '{}' END
    || CASE WHEN OLD.delivered_at IS DISTINCT FROM NEW.delivered_at OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at THEN jsonb_build_object('delivered_at', OLD.delivered_at, 'cancel_requested_at', OLD.cancel_requested_at) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_messages_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.content IS DISTINCT FROM NEW.content THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'messages', OLD.message_id, CASE WHEN OLD.content IS DISTINCT FROM NEW.content THEN jsonb_build_object('content', OLD.content, 'seq', OLD.seq) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_timeline_events_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.metadata IS DISTINCT FROM NEW.metadata THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'timeline_events', OLD.event_id, CASE WHEN OLD.metadata IS DISTINCT FROM NEW.metadata THEN jsonb_build_object('metadata', OLD.metadata) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_scores_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.status IS DISTINCT FROM NEW.status OR OLD.error_message IS DISTINCT FROM NEW.error_message OR OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.completed_at IS DISTINCT FROM NEW.completed_at OR OLD.prompt_hash IS DISTINCT FROM NEW.prompt_hash OR OLD.total_score IS DISTINCT FROM NEW.total_score OR OLD.failure_tags IS DISTINCT FROM NEW.failure_tags OR OLD.score_analysis IS DISTINCT FROM NEW.score_analysis OR OLD.tool_improvement_report IS DISTINCT FROM NEW.tool_improvement_report THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'session_scores', OLD.score_id, CASE WHEN OLD.status IS DISTINCT FROM NEW.status OR OLD.error_message IS DISTINCT FROM NEW.error_message OR OLD.started_at IS DISTINCT FROM NEW.started_at OR OLD.completed_at IS DISTINCT FROM NEW.completed_at OR OLD.prompt_hash IS DISTINCT FROM NEW.prompt_hash OR OLD.total_score IS DISTINCT FROM NEW.total_score OR OLD.failure_tags IS DISTINCT FROM NEW.failure_tags THEN jsonb_build_object('status', OLD.status, 'error_message', OLD.error_message, 'started_at', OLD.started_at, 'completed_at', OLD.completed_at, 'prompt_hash', OLD.prompt_hash, 'total_score', OLD.total_score, 'failure_tags', OLD.failure_tags) ELSE '{}' END
    || CASE WHEN OLD.score_analysis IS DISTINCT FROM NEW.score_analysis OR OLD.tool_improvement_report IS DISTINCT FROM NEW.tool_improvement_report THEN jsonb_build_object('score_analysis', OLD.score_analysis, 'tool_improvement_report', OLD.tool_improvement_report) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
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

CREATE OR REPLACE FUNCTION ${schema}.tarsy_approvals_keep_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
DECLARE
  place tid;
BEGIN
  IF OLD.state IS DISTINCT FROM NEW.state OR OLD.decided_at IS DISTINCT FROM NEW.decided_at OR OLD.decided_by IS DISTINCT FROM NEW.decided_by OR OLD.decided_via IS DISTINCT FROM NEW.decided_via OR OLD.reason IS DISTINCT FROM NEW.reason THEN
  INSERT INTO ${schema}.row_history (session_id, seq, table_name, row_key, before)
  SELECT OLD.session_id, r.last_seq, 'approvals', OLD.approval_id, CASE WHEN OLD.state IS DISTINCT FROM NEW.state OR OLD.decided_at IS DISTINCT FROM NEW.decided_at OR OLD.decided_by IS DISTINCT FROM NEW.decided_by OR OLD.decided_via IS DISTINCT FROM NEW.decided_via OR OLD.reason IS DISTINCT FROM NEW.reason THEN jsonb_build_object('state', OLD.state, 'decided_at', OLD.decided_at, 'decided_by', OLD.decided_by, 'decided_via', OLD.decided_via, 'reason', OLD.reason) ELSE '{}' END
  FROM ${schema}.session_runtime r WHERE r.session_id = OLD.session_id
  RETURNING ctid INTO place;
  PERFORM set_config('tarsy.kept_rows', coalesce(nullif(current_setting('tarsy.kept_rows', true), '') || ';', '') || place::text, true);
  END IF;
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

CREATE OR REPLACE FUNCTION ${schema}.tarsy_session_runtime_number_past() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
BEGIN
  UPDATE ${schema}.row_history SET seq = NEW.last_seq
  WHERE ctid = ANY (string_to_array(current_setting('tarsy.kept_rows'), ';')::tid[])
    AND session_id = NEW.session_id AND seq < NEW.last_seq;
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
  DELETE FROM ${schema}.session_runtime WHERE session_id = OLD.session_id;
  DELETE FROM ${schema}.row_history WHERE session_id = OLD.session_id;
  DELETE FROM ${schema}.search_progress WHERE session_id = OLD.session_id;
  DELETE FROM ${schema}.events WHERE session_id = OLD.session_id;
  RETURN NULL;
END
$past$;

CREATE OR REPLACE FUNCTION ${schema}.tarsy_agent_executions_forget() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $past$
BEGIN
  DELETE FROM ${schema}.messages WHERE execution_id = OLD.execution_id;
  DELETE FROM ${schema}.llm_interactions WHERE execution_id = OLD.execution_id;
  DELETE FROM ${schema}.mcp_interactions WHERE execution_id = OLD.execution_id;
  DELETE FROM ${schema}.timeline_events WHERE execution_id = OLD.execution_id;
  DELETE FROM ${schema}.conclusions WHERE execution_id = OLD.execution_id;
  DELETE FROM ${schema}.tool_calls WHERE execution_id = OLD.execution_id;
  RETURN NULL;
END
$past$;

CREATE TRIGGER alert_sessions_keep_change AFTER UPDATE OF status, started_at, pod_id, degraded, completed_at, error_message, error_code, final_analysis, executive_summary, executive_summary_error, review_status, assignee, assigned_at, quality_rating, action_taken, investigation_feedback, feedback_edited, feedback_edited_by, feedback_edited_at ON alert_sessions FOR EACH ROW EXECUTE FUNCTION tarsy_alert_sessions_keep_change();

CREATE TRIGGER session_runtime_keep_change AFTER UPDATE OF waiting_for, waiting_since, paused_ms, park_requested_at, park_by, park_actor, park_reason, park_until, parked_at, resumed_at, parkings, chat_message_count ON session_runtime FOR EACH ROW EXECUTE FUNCTION tarsy_session_runtime_keep_change();

CREATE TRIGGER chats_keep_insert AFTER INSERT ON chats FOR EACH ROW EXECUTE FUNCTION tarsy_chats_keep_insert();

CREATE TRIGGER agent_executions_keep_change AFTER UPDATE OF iteration_state, llm_provider, llm_backend, model_name, original_llm_provider, original_llm_backend, original_model_name, delivered_at, cancel_requested_at ON agent_executions FOR EACH ROW EXECUTE FUNCTION tarsy_agent_executions_keep_change();

CREATE TRIGGER messages_keep_change AFTER UPDATE OF content, seq ON messages FOR EACH ROW EXECUTE FUNCTION tarsy_messages_keep_change();

CREATE TRIGGER timeline_events_keep_change AFTER UPDATE OF metadata ON timeline_events FOR EACH ROW EXECUTE FUNCTION tarsy_timeline_events_keep_change();

CREATE TRIGGER session_scores_keep_change AFTER UPDATE OF status, error_message, started_at, completed_at, prompt_hash, total_score, failure_tags, score_analysis, tool_improvement_report ON session_scores FOR EACH ROW EXECUTE FUNCTION tarsy_session_scores_keep_change();

CREATE TRIGGER session_scores_keep_insert AFTER INSERT ON session_scores FOR EACH ROW EXECUTE FUNCTION tarsy_session_scores_keep_insert();

CREATE TRIGGER session_memories_keep_insert AFTER INSERT ON session_memories FOR EACH ROW EXECUTE FUNCTION tarsy_session_memories_keep_insert();

CREATE TRIGGER steering_messages_keep_insert AFTER INSERT ON steering_messages FOR EACH ROW EXECUTE FUNCTION tarsy_steering_messages_keep_insert();

CREATE TRIGGER steering_deliveries_keep_insert AFTER INSERT ON steering_deliveries FOR EACH ROW EXECUTE FUNCTION tarsy_steering_deliveries_keep_insert();

CREATE TRIGGER approvals_keep_change AFTER UPDATE OF state, decided_at, decided_by, decided_via, reason ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_approvals_keep_change();

CREATE TRIGGER approvals_keep_insert AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_approvals_keep_insert();

CREATE TRIGGER group_alerts_keep_insert AFTER INSERT ON group_alerts FOR EACH ROW EXECUTE FUNCTION tarsy_group_alerts_keep_insert();

CREATE TRIGGER evidence_deliveries_keep_insert AFTER INSERT ON evidence_deliveries FOR EACH ROW EXECUTE FUNCTION tarsy_evidence_deliveries_keep_insert();

CREATE TRIGGER session_runtime_number_past AFTER UPDATE OF last_seq ON session_runtime FOR EACH ROW
  WHEN (current_setting('tarsy.kept_rows', true) <> '') EXECUTE FUNCTION tarsy_session_runtime_number_past();

CREATE TRIGGER alert_groups_keep_change AFTER UPDATE ON alert_groups FOR EACH ROW EXECUTE FUNCTION tarsy_alert_groups_keep_change();

CREATE TRIGGER alert_sessions_forget AFTER DELETE ON alert_sessions FOR EACH ROW EXECUTE FUNCTION tarsy_alert_sessions_forget();

CREATE TRIGGER agent_executions_forget AFTER DELETE ON agent_executions FOR EACH ROW EXECUTE FUNCTION tarsy_agent_executions_forget();
`;
