import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

/**
 * SQL that makes Postgres record who writes what. Every process states its name in a setting of its connections
 * (`PGOPTIONS`). Deferred triggers record a violation if a row of an executor does not come from the owner of the
 * session's lease at COMMIT. Claims and counted attempts are recorded too. No trigger waits for the COMMIT of a migration: Postgres
 * would refuse to alter a table whose rows it has changed.
 */
export const CREATE_RECORDER = `
CREATE SCHEMA fault;
CREATE TABLE fault.violations (at timestamptz DEFAULT clock_timestamp(), what text, session_id uuid, pod text);
CREATE TABLE fault.claims (at timestamptz DEFAULT clock_timestamp(), session_id uuid, epoch int, pod text);
CREATE TABLE fault.attempts (at timestamptz DEFAULT clock_timestamp(), session_id uuid, attempts int);

CREATE FUNCTION fault.check_writer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  pod text := current_setting('tarsy.pod', true);
  owner text;
BEGIN
  SELECT lease_owner INTO owner FROM session_runtime WHERE session_id = NEW.session_id;
  IF owner IS DISTINCT FROM pod THEN
    INSERT INTO fault.violations (what, session_id, pod)
    VALUES (TG_TABLE_NAME || ' written while ' || coalesce(owner, 'no executor') || ' owns the session', NEW.session_id, pod);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION fault.check_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  current int;
BEGIN
  SELECT lease_epoch INTO current FROM session_runtime WHERE session_id = NEW.session_id;
  IF current <> NEW.epoch THEN
    INSERT INTO fault.violations (what, session_id, pod)
    VALUES ('tool call claimed under epoch ' || NEW.epoch || ' of ' || current, NEW.session_id, current_setting('tarsy.pod', true));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION fault.record_runtime() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW.lease_epoch > OLD.lease_epoch THEN
    INSERT INTO fault.claims (session_id, epoch, pod) VALUES (NEW.session_id, NEW.lease_epoch, NEW.lease_owner);
  END IF;
  IF NEW.attempts > OLD.attempts THEN
    INSERT INTO fault.attempts (session_id, attempts) VALUES (NEW.session_id, NEW.attempts);
  END IF;
  RETURN NULL;
END $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['alert_sessions', 'stages', 'agent_executions', 'messages', 'llm_interactions',
                              'mcp_interactions', 'timeline_events', 'events', 'follow_ups', 'session_scores',
                              'steering_deliveries'] LOOP
    CONTINUE WHEN to_regclass(name) IS NULL;
    EXECUTE format('CREATE CONSTRAINT TRIGGER fault_writer AFTER INSERT OR UPDATE ON %I
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                    WHEN (current_setting(''tarsy.pod'', true) LIKE ''executor%%'')
                    EXECUTE FUNCTION fault.check_writer()', name);
  END LOOP;
END $$;
CREATE CONSTRAINT TRIGGER fault_epoch AFTER INSERT ON tool_calls
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fault.check_epoch();
CREATE TRIGGER fault_runtime AFTER UPDATE ON session_runtime FOR EACH ROW EXECUTE FUNCTION fault.record_runtime();`;

const Violation = Type.Object({
  what: Type.String(),
  session_id: Type.String(),
  pod: Type.Union([Type.String(), Type.Null()]),
});
export const parseViolation = compileParser("violation", Violation);
export const VIOLATIONS = "SELECT what, session_id, pod FROM fault.violations ORDER BY at LIMIT 20";

const Claim = Type.Object({
  /** Milliseconds since the Unix epoch. */
  at: Type.Number(),
  session_id: Type.String(),
  epoch: Type.Integer(),
  pod: Type.Union([Type.String(), Type.Null()]),
});
export type Claim = Static<typeof Claim>;
export const parseClaim = compileParser("claim", Claim);
export const CLAIMS = `
SELECT extract(epoch FROM at)::float8 * 1000 AS at, session_id, epoch, pod FROM fault.claims ORDER BY at`;

export const parseCount = compileParser("count", Type.Object({ count: Type.Integer() }));
export const ATTEMPTS = "SELECT count(*)::int AS count FROM fault.attempts";
