/** Texts that sessions need, what is masked in them, and the words by which they are found. */
export const SESSION_TEXTS = `
-- Texts by what they say; hash: SHA-256 of the body in hex. used_at is raised at most once an hour, so that sessions
-- do not wait for each other.
CREATE TABLE texts (
  hash text PRIMARY KEY,
  body text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX texts_used ON texts (used_at);

-- Which sessions need which texts.
CREATE TABLE needed_texts (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  hash text NOT NULL REFERENCES texts,
  PRIMARY KEY (session_id, hash)
);
CREATE INDEX needed_texts_hash ON needed_texts (hash);

-- What became of a session's runbook: its text, the reason why there is none, or the text of the configured one with
-- the reason why the alert's was not fetched.
CREATE TABLE session_runbooks (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  hash text REFERENCES texts,
  failure text,
  settled_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT session_runbooks_settled CHECK (hash IS NOT NULL OR failure IS NOT NULL)
);

-- Digests of the values masked in a session, by which they are masked again wherever they reappear.
CREATE TABLE masked_values (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  digest text NOT NULL,
  digits text NOT NULL,
  length integer NOT NULL,
  kind text NOT NULL,
  PRIMARY KEY (session_id, digest)
);

-- A row for each session, which a trigger inserts; indexed_seq: the session's newest event when the api's sweeper
-- indexed it last.
CREATE TABLE search_progress (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  indexed_seq integer,
  is_complete boolean NOT NULL DEFAULT false
);
CREATE INDEX search_progress_open ON search_progress (created_at) WHERE NOT is_complete;

-- In lower case and without what follows the first 100,000 characters.
CREATE TABLE session_texts (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('alert', 'analysis')),
  content text NOT NULL,
  PRIMARY KEY (session_id, kind)
);
CREATE INDEX session_texts_content ON session_texts USING gin (content gin_trgm_ops) WITH (fastupdate = off);

CREATE TABLE timeline_words (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  indexed_seq integer NOT NULL,
  part integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (session_id, indexed_seq, part)
);
CREATE INDEX timeline_words_words ON timeline_words USING gin (words) WITH (fastupdate = off);
`;
