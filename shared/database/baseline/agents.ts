/** The stages of a session, its agents, and what they said and did. */
export const AGENTS = `
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

-- actions_executed follows from the records of the calls, actions_claimed is the word of the models.
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
  actions_executed boolean,
  actions_claimed boolean,
  UNIQUE (session_id, stage_index)
);
CREATE INDEX stages_chat ON stages (chat_id) WHERE chat_id IS NOT NULL;

-- seq, in every table of this file: the session's newest event after the commit that wrote the row last. Sub-agents
-- are numbered anew below each parent; delivered_at: when the parent's conversation got the result;
-- cancel_requested_at: when the parent, or its end, asked the sub-agent to stop. llm_backend, model_name: what
-- answers its calls now; original_…: what did at first.
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
  seq integer,
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
CREATE UNIQUE INDEX agent_executions_of_stage ON agent_executions (stage_id, agent_index)
  WHERE parent_execution_id IS NULL;
CREATE UNIQUE INDEX agent_executions_of_parent ON agent_executions (parent_execution_id, agent_index)
  WHERE parent_execution_id IS NOT NULL;

-- Rows of an execution refer to it alone: through it they belong to their stage and session, and are deleted with
-- them. Each foreign key is a query for each inserted row.
CREATE TABLE messages (
  message_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  sequence_number integer NOT NULL CHECK (sequence_number > 0),
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
  CONSTRAINT result_on_tool
    CHECK ((role = 'tool') = (tool_call_id IS NOT NULL) AND (role = 'tool') = (tool_name IS NOT NULL))
);
CREATE INDEX messages_session ON messages (session_id);

-- The cost is null where nothing is known about the price or the tokens.
CREATE TABLE llm_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
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

-- outcome: what the other columns do not say of how a call ended.
CREATE TABLE mcp_interactions (
  interaction_id uuid PRIMARY KEY,
  session_id uuid NOT NULL,
  stage_id uuid NOT NULL,
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
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
  execution_id uuid NOT NULL REFERENCES agent_executions ON DELETE CASCADE,
  sequence_number integer NOT NULL CHECK (sequence_number > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  event_type timeline_event_type NOT NULL,
  status timeline_status NOT NULL DEFAULT 'streaming',
  content text NOT NULL,
  metadata jsonb,
  llm_interaction_id uuid,
  mcp_interaction_id uuid,
  seq integer,
  UNIQUE (execution_id, sequence_number)
) WITH (fillfactor = 80);
CREATE INDEX timeline_events_session ON timeline_events (session_id, sequence_number);
CREATE INDEX timeline_events_created ON timeline_events (created_at);

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  seq integer NOT NULL CHECK (seq > 0),
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, seq)
);
CREATE INDEX events_created ON events (created_at);
`;
