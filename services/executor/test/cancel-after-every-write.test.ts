import { expect } from "chai";
import { STEP } from "../../../test/support/nightly.ts";
import { RunFixture } from "./run-fixture.ts";

/** Three stages, two of them with parallel agents. */
const CHAIN = { stages: [["Ann", "Ben"], ["Cem"], ["Dan", "Eve"]] } as const;

/**
 * Cancels a session in the transaction of its nth write, without a cancel message on the bus. Deferred to the commit, because
 * the write itself may change the row of the session.
 */
const CANCEL_WITH_WRITE = `
CREATE TABLE cancel_with_write (session_id uuid PRIMARY KEY, writes_left integer NOT NULL);
CREATE FUNCTION cancel_with_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW.cancel_requested_at IS NULL AND NEW.lease_epoch = OLD.lease_epoch AND NEW.attempts = 0 AND OLD.lease_expires_at = NEW.lease_expires_at THEN
    UPDATE cancel_with_write SET writes_left = writes_left - 1 WHERE session_id = NEW.session_id;
    IF EXISTS (SELECT FROM cancel_with_write WHERE session_id = NEW.session_id AND writes_left = 0) THEN
      UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = NEW.session_id;
      UPDATE session_runtime SET cancel_requested_at = now() WHERE session_id = NEW.session_id;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE CONSTRAINT TRIGGER cancel_with_write AFTER UPDATE ON session_runtime DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION cancel_with_write();`;

/** What is still open, whether the event numbers are contiguous, the last event, and the session's result. */
const ENDS = `
SELECT
  (SELECT count(*)::int FROM stages WHERE session_id = $1 AND status IN ('pending', 'active')) AS stages,
  (SELECT count(*)::int FROM agent_executions WHERE session_id = $1 AND status IN ('pending', 'active')) AS executions,
  (SELECT count(*)::int FROM timeline_events WHERE session_id = $1 AND status = 'streaming') AS rows,
  (SELECT count(*) = max(seq) AND min(seq) = 1 FROM events WHERE session_id = $1) AS contiguous,
  (SELECT payload ->> 'type' || ' ' || (payload ->> 'status') FROM events WHERE session_id = $1 ORDER BY seq DESC LIMIT 1) AS last,
  status, executive_summary
FROM alert_sessions WHERE session_id = $1`;

describe("a chain that is cancelled", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
    await fixture.executor.query(CANCEL_WITH_WRITE, []);
    await fixture.play(
      { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
      { steps: [{ thinking: "hm" }, { text: "found it" }] },
    );
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("leaves nothing open, whichever write the cancel is committed with", async function () {
    this.timeout(300_000);
    let writes = 1 - STEP;
    for (let end: unknown = "cancelled"; end === "cancelled";) {
      writes += STEP;
      const id = await fixture.executor.insert(CHAIN);
      await fixture.executor.query("INSERT INTO cancel_with_write VALUES ($1, $2)", [id, writes]);
      end = await fixture.run(id);
      const [found] = await fixture.executor.query(ENDS, [id]);
      expect(found, `with write ${writes}`).to.deep.equal({
        stages: 0,
        executions: 0,
        rows: 0,
        contiguous: true,
        last: `session.completed ${String(end)}`,
        status: end,
        executive_summary: end === "cancelled" ? null : "In short.",
      });
    }
    expect(writes).to.be.greaterThan(20);
  });
});
