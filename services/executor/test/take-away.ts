import type { ExecutorFixture } from "./executor-fixture.ts";

/**
 * Takes a session away from its owner inside the very transaction of its nth write: that write lands, none after it does,
 * as if the process had been killed right behind the COMMIT.
 */
const TAKE_AWAY = `
CREATE TABLE take_away (session_id uuid PRIMARY KEY, writes_left integer NOT NULL);
CREATE FUNCTION take_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Only what appends events is a step; claims raise the epoch, renewals move the lease.
  IF NEW.lease_epoch = OLD.lease_epoch AND NEW.attempts = 0 AND OLD.lease_expires_at = NEW.lease_expires_at THEN
    UPDATE take_away SET writes_left = writes_left - 1 WHERE session_id = NEW.session_id;
    IF EXISTS (SELECT FROM take_away WHERE session_id = NEW.session_id AND writes_left = 0) THEN
      NEW.lease_epoch := NEW.lease_epoch + 1;
      NEW.lease_expires_at := NULL;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER take_away BEFORE UPDATE ON session_runtime FOR EACH ROW EXECUTE FUNCTION take_away();`;

/** Installs the trigger; returns what arms it for a session: its owner loses it with its nth write from then on. */
export async function installTakeAway(
  executor: ExecutorFixture,
): Promise<(id: string, writes: number) => Promise<void>> {
  await executor.query(TAKE_AWAY, []);
  return async (id, writes) => {
    await executor.query(
      `INSERT INTO take_away VALUES ($1, $2) ON CONFLICT (session_id) DO UPDATE SET writes_left = excluded.writes_left`,
      [id, writes],
    );
  };
}
