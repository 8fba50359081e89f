import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { reviewAtEnd } from "#shared/contracts/review.ts";
import { SESSION_STATUSES, isTerminal, type SessionStatus } from "#shared/contracts/statuses.ts";
import type { Database } from "#shared/database/database.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { DatabaseFixture } from "./database-fixture.ts";

describe("the review status of a session", () => {
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const insert = async (db: Database, status: SessionStatus) => {
    const id = randomUUID();
    await db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash, status, completed_at)
       VALUES ($1, 'x', 'a', 'c', 'h', $2, $3)`,
      [id, status, isTerminal(status) ? new Date() : null],
    );
    return id;
  };
  const reviews = async (db: Database, ids: readonly string[]) => {
    const rows = await Promise.all(
      ids.map(async (id) => db.query("SELECT review_status FROM alert_sessions WHERE session_id = $1", [id])),
    );
    return rows.flat();
  };
  const reviewOf = (status: SessionStatus) => ({
    review_status: isTerminal(status) ? reviewAtEnd(status) : null,
  });

  it("is set with the end, in every role that writes it, and undone with it", async () => {
    const db = await fixture.migrated();
    for (const status of SESSION_STATUSES) {
      const inserted = await insert(db, status);
      const ended = await insert(db, "in_progress");
      await db.query(
        "UPDATE alert_sessions SET status = $2::session_status, completed_at = $3 WHERE session_id = $1",
        [ended, status, isTerminal(status) ? new Date() : null],
      );
      const expected = reviewOf(status);
      expect(await reviews(db, [inserted, ended]), status).to.deep.equal([expected, expected]);
      await db.query(
        "UPDATE alert_sessions SET status = 'in_progress', completed_at = NULL WHERE session_id = $1",
        [ended],
      );
      expect(await reviews(db, [ended]), status).to.deep.equal([{ review_status: null }]);
    }
  });

  it("keeps what a reviewer decided", async () => {
    const db = await fixture.migrated();
    const id = await insert(db, "failed");
    const set = async (column: string, value: string | null) =>
      db.query(`UPDATE alert_sessions SET ${column} = $2 WHERE session_id = $1`, [id, value]);
    await set("review_status", "in_progress");
    await db.query("UPDATE alert_sessions SET status = 'timed_out' WHERE session_id = $1", [id]);
    expect(await reviews(db, [id])).to.deep.equal([{ review_status: "in_progress" }]);
    expect(await rejectionOf(set("review_status", null))).to.include("review_follows_end");
  });
});
