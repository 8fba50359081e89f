import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * The initial data model. The database checks the enums. Columns that change with every heartbeat are in
 * session_runtime, without an index on them. Full-text indexes cover the first 100,000 characters, because a valid
 * alert can exceed the maximum size of a tsvector.
 */
export class Initial0000000000001 implements MigrationInterface {
  readonly name = "Initial0000000000001";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENUMS);
    await runner.query(SESSIONS);
    await runner.query(INVESTIGATION);
    await runner.query(RECORDS);
    await runner.query(INDEXES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const ENUMS = `
CREATE TYPE session_status AS ENUM
  ('pending','in_progress','cancelling','completed','failed','cancelled','timed_out');
CREATE TYPE run_status AS ENUM ('pending','active','completed','failed','cancelled','timed_out');
CREATE TYPE timeline_status AS ENUM ('streaming','completed','failed','cancelled','timed_out');
CREATE TYPE timeline_event_type AS ENUM
  ('llm_thinking','llm_response','llm_tool_call','tool_result','mcp_tool_call','mcp_tool_summary','error',
   'user_question','executive_summary','final_analysis','code_execution','google_search_result','url_context_result');
CREATE TYPE message_role AS ENUM ('system','user','assistant','tool');
CREATE TYPE llm_interaction_type AS ENUM
  ('iteration','final_analysis','executive_summary','chat_response','forced_conclusion','synthesis','summarization');
CREATE TYPE mcp_interaction_type AS ENUM ('tool_call','tool_list');
CREATE TYPE parallel_type AS ENUM ('multi_agent','replica');
CREATE TYPE success_policy AS ENUM ('all','any');
CREATE TYPE iteration_strategy AS ENUM
  ('single-call','react','native-thinking','synthesis','synthesis-native-thinking');
CREATE TYPE tool_call_state AS ENUM ('running','completed','failed','abandoned');
`;

const SESSIONS = `
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
  CONSTRAINT ended_means_terminal CHECK
    ((completed_at IS NOT NULL) = (status IN ('completed','failed','cancelled','timed_out')))
) WITH (fillfactor = 80);

CREATE TABLE session_runtime (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  lease_owner text,
  lease_epoch integer NOT NULL DEFAULT 0,
  lease_expires_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz,
  cancel_requested_at timestamptz,
  last_seq integer NOT NULL DEFAULT 0,
  last_interaction_at timestamptz,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  thinking_tokens bigint NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE idempotency_keys (
  key text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  request_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

CREATE TABLE chats (
  chat_id uuid PRIMARY KEY,
  session_id uuid NOT NULL UNIQUE REFERENCES alert_sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text,
  chain_id text NOT NULL,
  pod_id text,
  last_interaction_at timestamptz
);

CREATE TABLE chat_user_messages (
  message_id uuid PRIMARY KEY,
  chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  content text NOT NULL,
  author text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
`;

const INVESTIGATION = `
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
  UNIQUE (session_id, stage_index)
);

CREATE TABLE agent_executions (
  execution_id uuid PRIMARY KEY,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
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
  UNIQUE (stage_id, agent_index)
);

CREATE TABLE messages (
  message_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  sequence_number integer NOT NULL CHECK (sequence_number > 0),
  role message_role NOT NULL,
  content text NOT NULL,
  tool_calls jsonb,
  tool_call_id text,
  tool_name text,
  provider_state bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (execution_id, sequence_number),
  CONSTRAINT content_or_calls CHECK (content <> '' OR tool_calls IS NOT NULL OR role = 'tool'),
  CONSTRAINT calls_on_assistant CHECK (tool_calls IS NULL OR role = 'assistant'),
  CONSTRAINT result_on_tool CHECK
    ((role = 'tool') = (tool_call_id IS NOT NULL) AND (role = 'tool') = (tool_name IS NOT NULL))
);
`;

const RECORDS = `
CREATE TABLE llm_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  interaction_type llm_interaction_type NOT NULL,
  model_name text NOT NULL,
  last_message_id uuid REFERENCES messages ON DELETE SET NULL,
  llm_request jsonb NOT NULL,
  llm_response jsonb NOT NULL,
  thinking_content text,
  response_metadata jsonb,
  input_tokens integer,
  output_tokens integer,
  thinking_tokens integer,
  total_tokens integer,
  duration_ms integer,
  error_message text,
  error_code text
);

CREATE TABLE mcp_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  interaction_type mcp_interaction_type NOT NULL,
  server_name text NOT NULL,
  tool_name text,
  tool_arguments jsonb,
  tool_result jsonb,
  available_tools jsonb,
  duration_ms integer,
  error_message text
);

CREATE TABLE timeline_events (
  event_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL REFERENCES stages ON DELETE CASCADE,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  sequence_number integer NOT NULL CHECK (sequence_number > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  event_type timeline_event_type NOT NULL,
  status timeline_status NOT NULL DEFAULT 'streaming',
  content text NOT NULL,
  metadata jsonb,
  llm_interaction_id uuid REFERENCES llm_interactions ON DELETE SET NULL,
  mcp_interaction_id uuid REFERENCES mcp_interactions ON DELETE SET NULL,
  UNIQUE (execution_id, sequence_number)
) WITH (fillfactor = 80);

CREATE TABLE tool_calls (
  call_id text PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  epoch integer NOT NULL,
  name text NOT NULL,
  read_only boolean NOT NULL,
  state tool_call_state NOT NULL,
  result text,
  is_error boolean,
  started_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz
);

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  seq integer NOT NULL CHECK (seq > 0),
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, seq)
);
`;

const INDEXES = `
CREATE INDEX alert_sessions_status_created ON alert_sessions (status, created_at);
CREATE INDEX alert_sessions_status_started ON alert_sessions (status, started_at);
CREATE INDEX alert_sessions_agent_type ON alert_sessions (agent_type);
CREATE INDEX alert_sessions_alert_type ON alert_sessions (alert_type);
CREATE INDEX alert_sessions_chain_id ON alert_sessions (chain_id);
CREATE INDEX alert_sessions_completed ON alert_sessions (completed_at) WHERE deleted_at IS NULL;
CREATE INDEX alert_sessions_deleted ON alert_sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX alert_sessions_unfinished ON alert_sessions (created_at)
  WHERE status IN ('pending','in_progress','cancelling') AND deleted_at IS NULL;
CREATE INDEX alert_sessions_alert_text ON alert_sessions
  USING gin (to_tsvector('english', left(alert_data, 100000)));
CREATE INDEX alert_sessions_analysis_text ON alert_sessions
  USING gin (to_tsvector('english', left(final_analysis, 100000)));
CREATE INDEX agent_executions_session ON agent_executions (session_id);
CREATE INDEX timeline_events_session ON timeline_events (session_id, sequence_number);
CREATE INDEX timeline_events_stage ON timeline_events (stage_id, sequence_number);
CREATE INDEX timeline_events_created ON timeline_events (created_at);
CREATE INDEX messages_session ON messages (session_id);
CREATE INDEX messages_stage ON messages (stage_id, execution_id);
CREATE INDEX llm_interactions_session ON llm_interactions (session_id);
CREATE INDEX llm_interactions_execution ON llm_interactions (execution_id, created_at);
CREATE INDEX llm_interactions_stage ON llm_interactions (stage_id, created_at);
CREATE INDEX mcp_interactions_session ON mcp_interactions (session_id);
CREATE INDEX mcp_interactions_execution ON mcp_interactions (execution_id, created_at);
CREATE INDEX mcp_interactions_stage ON mcp_interactions (stage_id, created_at);
CREATE INDEX tool_calls_session ON tool_calls (session_id);
CREATE INDEX tool_calls_execution ON tool_calls (execution_id);
CREATE INDEX events_created ON events (created_at);
CREATE INDEX idempotency_keys_session ON idempotency_keys (session_id);
CREATE INDEX idempotency_keys_expires ON idempotency_keys (expires_at);
CREATE INDEX chats_created ON chats (created_at);
CREATE INDEX chat_user_messages_chat ON chat_user_messages (chat_id, created_at);
CREATE INDEX stages_chat ON stages (chat_id) WHERE chat_id IS NOT NULL;
`;

const DOWN = `
DROP TABLE events, tool_calls, timeline_events, mcp_interactions, llm_interactions, messages, agent_executions,
  stages, chat_user_messages, chats, idempotency_keys, session_runtime, alert_sessions CASCADE;
DROP TYPE tool_call_state, iteration_strategy, success_policy, parallel_type, mcp_interaction_type,
  llm_interaction_type, message_role, timeline_event_type, timeline_status, run_status, session_status;
`;
