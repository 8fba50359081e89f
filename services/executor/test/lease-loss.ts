import type { ExecutorFixture } from "./executor-fixture.ts";

/**
 * Takes a session's lease from its owner in the transaction of the nth write: that write is committed and all later ones
 * are fenced, as if the process had been killed right after the COMMIT.
 */
const TRIGGER = `
CREATE TABLE lease_loss (session_id uuid PRIMARY KEY, writes_left integer NOT NULL);
CREATE FUNCTION lease_loss() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- Steps change neither epoch nor lease; claims raise the epoch, renewals move the lease.
  IF NEW.lease_epoch = OLD.lease_epoch AND NEW.attempts = 0 AND OLD.lease_expires_at = NEW.lease_expires_at THEN
    UPDATE lease_loss SET writes_left = writes_left - 1 WHERE session_id = NEW.session_id;
    IF EXISTS (SELECT FROM lease_loss WHERE session_id = NEW.session_id AND writes_left = 0) THEN
      NEW.lease_epoch := NEW.lease_epoch + 1;
      NEW.counted_epoch := NEW.counted_epoch + 1;
      NEW.lease_expires_at := NULL;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER lease_loss BEFORE UPDATE ON session_runtime FOR EACH ROW EXECUTE FUNCTION lease_loss();`;

/** Installs the trigger. Returns a function that makes the owner of a session lose its lease at the nth write from then on. */
export async function installLeaseLoss(
  executor: ExecutorFixture,
): Promise<(id: string, writes: number) => Promise<void>> {
  await executor.query(TRIGGER, []);
  return async (id, writes) => {
    await executor.query(
      `INSERT INTO lease_loss VALUES ($1, $2) ON CONFLICT (session_id) DO UPDATE SET writes_left = excluded.writes_left`,
      [id, writes],
    );
  };
}
