import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { appendEvents } from "#shared/database/append-events.ts";
import { findSession, findSessions } from "#shared/database/find-session.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

describe("the lookup of sessions", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("finds sessions, and neither deleted nor unknown ones", async () => {
    const [id, deleted] = [await fixture.insertSession(db), await fixture.insertSession(db)];
    const access = { owner_subject: null, teams: [] };
    const session = { session_id: id, status: "pending", last_seq: 0, purged: false, ...access };
    await db.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [deleted]);
    expect(await findSession(db, id)).to.deep.equal(session);
    for (const unknown of [deleted, randomUUID()]) expect(await findSession(db, unknown)).to.equal(undefined);
    expect(await findSessions(db, [id, deleted, randomUUID()])).to.deep.equal(new Map([[id, session]]));
    expect(await findSessions(db, [])).to.deep.equal(new Map());
  });

  it("leaves a deleted session no events", async () => {
    const id = await fixture.insertSession(db);
    const ended = { type: "session.completed", session_id: id, status: "completed" } as const;
    await db.transaction(async (manager) => appendEvents(manager, id, [ended]));
    const all = { afterSeq: 0, limit: 10 };
    expect(await readEvents(db, id, all)).to.have.length(1);
    await db.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [id]);
    expect(await readEvents(db, id, all)).to.deep.equal([]);
    expect(await readEvents(db, id, { ...all, maxBytes: 1 })).to.deep.equal([]);
  });

  it("locks the session for a writer", async () => {
    const id = await fixture.insertSession(db);
    await db.transaction(async (manager) => {
      await findSession(manager, id, { lock: true });
      const other = db.query("SELECT 1 FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE NOWAIT", [
        id,
      ]);
      expect(await other.catch((error: unknown) => String(error))).to.match(/could not obtain lock/u);
    });
  });
});
