import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ParkedBy } from "#shared/contracts/statuses.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

/**
 * Records the writes of each session that `disturbed_writes` names, and disturbs the one that it names. The lease is lost in the
 * transaction of that write: it is committed and all later ones are fenced, as if the process had been killed right after the COMMIT. The cancel comes
 * without a message on the bus and is deferred to the commit, because the write itself may change the row of the session. So does the request to park, in
 * the transaction of its write.
 */
const TRIGGERS = `
CREATE TABLE disturbed_writes (session_id uuid PRIMARY KEY, kill_in integer, cancel_in integer, park_in integer, park_by text);
CREATE TABLE write_points (id bigserial PRIMARY KEY, session_id uuid NOT NULL, kind text NOT NULL);
CREATE FUNCTION disturb_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- Steps change neither epoch nor lease; claims raise the epoch, renewals move the lease.
  IF NEW.lease_epoch = OLD.lease_epoch AND NEW.attempts = 0 AND OLD.lease_expires_at = NEW.lease_expires_at THEN
    UPDATE disturbed_writes SET kill_in = kill_in - 1, park_in = park_in - 1 WHERE session_id = NEW.session_id;
    IF FOUND THEN
      INSERT INTO write_points (session_id, kind) VALUES (NEW.session_id, coalesce((
        SELECT string_agg(part[1], ' ') FROM regexp_matches(current_query(), '(part_\\w+|tarsy_reserve_budget)', 'g') AS part), ''));
    END IF;
    IF EXISTS (SELECT FROM disturbed_writes WHERE session_id = NEW.session_id AND kill_in = 0) THEN
      NEW.lease_epoch := NEW.lease_epoch + 1;
      NEW.lease_expires_at := NULL;
    END IF;
    IF EXISTS (SELECT FROM disturbed_writes WHERE session_id = NEW.session_id AND park_in = 0) THEN
      NEW.park_requested_at := now();
      NEW.park_by := (SELECT park_by FROM disturbed_writes WHERE session_id = NEW.session_id);
      NEW.park_until := CASE WHEN NEW.park_by = 'operator' THEN now() + interval '7 days' END;
      NEW.inbox_seq := NEW.inbox_seq + 1;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER disturb_write BEFORE UPDATE ON session_runtime FOR EACH ROW EXECUTE FUNCTION disturb_write();
CREATE FUNCTION cancel_with_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW.cancel_requested_at IS NULL AND NEW.lease_epoch = OLD.lease_epoch AND NEW.attempts = 0 AND OLD.lease_expires_at = NEW.lease_expires_at THEN
    UPDATE disturbed_writes SET cancel_in = cancel_in - 1 WHERE session_id = NEW.session_id;
    IF EXISTS (SELECT FROM disturbed_writes WHERE session_id = NEW.session_id AND cancel_in = 0) THEN
      UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = NEW.session_id;
      UPDATE session_runtime SET cancel_requested_at = now() WHERE session_id = NEW.session_id;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE CONSTRAINT TRIGGER cancel_with_write AFTER UPDATE ON session_runtime DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION cancel_with_write();`;

const parseKind = compileParser("kind of a write", Type.Object({ kind: Type.String() }));

/** The writes of a session: the statements of its owner that commit, without the last one, which also gives the lease back. */
export interface WritePoints {
  /** Records the writes of a session from now on. */
  readonly record: (id: string) => Promise<void>;
  /** Makes the owner of a session lose its lease at the nth write from now on. */
  readonly kill: (id: string, write: number) => Promise<void>;
  /** Cancels a session with its nth write from now on. */
  readonly cancel: (id: string, write: number) => Promise<void>;
  /** False if the session has ended before the write with which it was to be cancelled. */
  readonly isCancelled: (id: string) => Promise<boolean>;
  /** Asks a session to park with its nth write from now on, whatever else disturbs it. */
  readonly park: (id: string, write: number, by: ParkedBy) => Promise<void>;
  /** The kinds of a session's recorded writes in their order: the parts of their statements. */
  readonly kinds: (id: string) => Promise<readonly string[]>;
}

/** Installs the triggers in the test's database. */
export async function installWritePoints(executor: ExecutorFixture): Promise<WritePoints> {
  await executor.query(TRIGGERS, []);
  const set = async (id: string, killIn: number | null, cancelIn: number | null): Promise<void> => {
    await executor.query(
      `INSERT INTO disturbed_writes (session_id, kill_in, cancel_in) VALUES ($1, $2, $3)
       ON CONFLICT (session_id) DO UPDATE SET kill_in = excluded.kill_in, cancel_in = excluded.cancel_in`,
      [id, killIn, cancelIn],
    );
  };
  return {
    record: async (id) => set(id, null, null),
    kill: async (id, write) => set(id, write, null),
    cancel: async (id, write) => set(id, null, write),
    isCancelled: async (id) => {
      const cancelled = "SELECT 1 FROM disturbed_writes WHERE session_id = $1 AND cancel_in <= 0";
      return (await executor.query(cancelled, [id])).length > 0;
    },
    park: async (id, write, by) => {
      await executor.query(
        "INSERT INTO disturbed_writes (session_id, park_in, park_by) VALUES ($1, $2, $3)",
        [id, write, by],
      );
    },
    kinds: async (id) => {
      const rows = await executor.query("SELECT kind FROM write_points WHERE session_id = $1 ORDER BY id", [
        id,
      ]);
      return rows.map((row) => parseKind(row).kind);
    },
  };
}
