/** Work on ended sessions, memories, and messages to running agents. */
export const FOLLOW_UPS = `
-- Work on sessions that have ended, such as the answer to a question about one. The partial unique index lets one
-- piece of work of a kind run at a time; follow_ups_to_index has the rows of the last seconds.
CREATE TABLE follow_ups (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('chat', 'score', 'feedback')),
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  status run_status NOT NULL DEFAULT 'pending',
  resolved_config jsonb NOT NULL,
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
CREATE INDEX follow_ups_to_index ON follow_ups (session_id)
  WHERE status NOT IN ('pending', 'active') AND NOT is_indexed;

CREATE TABLE session_scores (
  score_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  stage_id uuid NOT NULL UNIQUE REFERENCES stages ON DELETE CASCADE,
  follow_up_id uuid NOT NULL UNIQUE REFERENCES follow_ups ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'in_progress', 'memorizing', 'completed', 'failed', 'cancelled')),
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
CREATE UNIQUE INDEX session_scores_open ON session_scores (session_id)
  WHERE status IN ('pending', 'in_progress', 'memorizing');
CREATE INDEX session_scores_newest ON session_scores (session_id, created_at DESC, score_id);

-- Feedback that was given while an earlier one was learned from. The id is that of the follow-up which will learn
-- from the text: the same text is kept once.
CREATE TABLE waiting_feedback (
  follow_up_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  feedback text NOT NULL,
  asked_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX waiting_feedback_session ON waiting_feedback (session_id, created_at);

-- owner_subject and teams are those of the source: a memory outlives it, and must not become visible to others then.
-- base_confidence and rating are stored, and the confidence is computed: another rating leaves no trace of the one
-- before. A memory from a reviewer's feedback is not rated: the review that calls an investigation wrong says what is
-- right. deprecation: what a person or a model said; without it, the rating decides. A vector has length 1, so that a
-- product of two is the cosine; embedding_model says which vectors can be compared.
CREATE TABLE investigation_memories (
  memory_id uuid PRIMARY KEY,
  project text NOT NULL DEFAULT 'default',
  content text NOT NULL,
  category text NOT NULL CHECK (category IN ('semantic', 'episodic', 'procedural')),
  valence text NOT NULL CHECK (valence IN ('positive', 'negative', 'neutral')),
  base_confidence real NOT NULL CHECK (base_confidence > 0 AND base_confidence <= 1),
  origin text NOT NULL DEFAULT 'investigation' CHECK (origin IN ('investigation', 'feedback')),
  rating text CHECK (rating IN ('accurate', 'partially_accurate', 'inaccurate')),
  confidence real NOT NULL GENERATED ALWAYS AS (least(1, base_confidence *
    CASE rating WHEN 'accurate' THEN 1.2 WHEN 'partially_accurate' THEN 0.6 ELSE 1 END)) STORED,
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

-- Which agents were given which memories. Without a key to the memories: one that is deleted while an agent starts
-- must not fail the agent.
CREATE TABLE session_memories (
  execution_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  position integer NOT NULL,
  injected_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, memory_id)
);
CREATE INDEX session_memories_session ON session_memories (session_id);

-- What people tell the agents of a running session. ordinal: the session's inbox_seq with the message. targets: the
-- executions that were open at that time; null if there were none: then the message is for those that start next,
-- after the agent after_agent of the stage after_stage. calls: the timeline rows of the tool calls that are to be
-- skipped.
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
  message_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, execution_id)
);
CREATE INDEX steering_deliveries_session ON steering_deliveries (session_id);
`;
