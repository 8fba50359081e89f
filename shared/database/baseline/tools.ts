/** Tool calls: running, asked about, recorded; and the MCP servers that answer them. */
export const TOOLS = `
-- failure: why it failed. alive_until: until when the last heartbeat of its runner is valid. effect: what it may do.
-- phase: 'claimed' until a call that must not be repeated is about to be sent, then 'sending'.
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
  completed_at timestamptz,
  failure text CHECK (failure IN ('exception','timeout','cancelled','interrupted','outcome_unknown')),
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

-- The whole text of results of which the conversation has only a window; bytes and lines are those of content.
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

-- Which calls a person was asked about, and what was decided. call_id: the id of the call's first attempt.
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
  reason text
);
CREATE INDEX approvals_session ON approvals (session_id);

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

-- What each tool-runner knows of each MCP server; since: when it began to see the server in this state.
CREATE TABLE mcp_server_states (
  server text NOT NULL,
  runner uuid NOT NULL,
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

-- One row for each server with a session_cleanup_url that an execution has called. ended_at: the execution has ended,
-- and the server is told from due_at on. Without a foreign key: the server must be told also of a session that was
-- erased.
CREATE TABLE mcp_cleanups (
  server text NOT NULL,
  execution_id uuid NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  due_at timestamptz,
  tries integer NOT NULL DEFAULT 0,
  PRIMARY KEY (server, execution_id)
);

-- Calls that a session answers its agents from instead of asking tool-runners. execution_id, iteration and call_index
-- are those that the call has in this session if it is made again; the last two are null if they are not known.
-- used_by: the id of the call that was answered with the row first.
CREATE TABLE recorded_tool_calls (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
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
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid NOT NULL,
  server_name text NOT NULL,
  ordinal integer NOT NULL,
  available_tools jsonb NOT NULL,
  tool_result jsonb,
  error_message text,
  PRIMARY KEY (session_id, execution_id, server_name)
);
`;
