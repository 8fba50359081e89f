import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { Database } from "#shared/database/database.ts";

const parseTime = compileParser("time of the database", Type.Object({ ms: Type.Number() }));

describe("appendEvents", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const newSession = async () => fixture.insertSession(db);
  const append = async (manager: Queryable, id: string): Promise<SessionEvent[]> => {
    const payload = { type: "session.status", session_id: id, status: "in_progress" } as const;
    return appendEvents(manager, id, [payload, payload]);
  };
  const databaseTime = async (): Promise<number> => {
    const [row] = await selectRows(
      db,
      parseTime,
      "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms",
      [],
    );
    return row?.ms ?? Number.NaN;
  };
  const timesOf = (events: readonly SessionEvent[]) =>
    events.map(({ payload }) => Date.parse(payload.timestamp));

  it("returns what it stored, with a timestamp of the database in the form of toISOString", async () => {
    const id = await newSession();
    const before = Math.floor(await databaseTime());
    const events = await db.transaction(async (manager) => append(manager, id));
    const after = await databaseTime();
    expect(await readEvents(db, id, { afterSeq: 0, limit: 9 })).to.deep.equal(events);
    expect(events).to.have.length(2);
    for (const { payload } of events) {
      expect(new Date(payload.timestamp).toISOString()).to.equal(payload.timestamp);
      expect(Date.parse(payload.timestamp)).to.be.within(before, after);
    }
  });

  it("replaces text that jsonb refuses, and returns what it stored", async () => {
    const id = await newSession();
    const payload = {
      type: "session.status",
      session_id: id,
      status: "failed",
      error_message: "a\0\ud800",
    } as const;
    const events = await db.transaction(async (manager) => appendEvents(manager, id, [payload]));
    expect(events?.[0]?.payload).to.include({ error_message: "a\uFFFD\uFFFD" });
    expect(await readEvents(db, id, { afterSeq: 0, limit: 9 })).to.deep.equal(events);
  });

  /** Resolves once the database's clock shows a later millisecond. */
  const clockMoves = async () => {
    const startedAt = Math.floor(await databaseTime());
    await until("the clock moves", async () => (await databaseTime()) >= startedAt + 2);
  };

  it("never lets the time run backwards when an older transaction appends later", async () => {
    const id = await newSession();
    const younger: SessionEvent[] = [];
    const older = await db.transaction(async (manager) => {
      await clockMoves();
      younger.push(...(await db.transaction(async (other) => append(other, id))));
      return append(manager, id);
    });
    const times = timesOf([...younger, ...older]);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it("takes the time after the wait for another writer's commit", async () => {
    const id = await newSession();
    let waiting: Promise<SessionEvent[]> = Promise.resolve([]);
    let releasedAt = Number.NaN;
    await db.transaction(async (manager) => {
      await append(manager, id);
      waiting = db.transaction(async (other) => append(other, id));
      await until("the other writer waits for the row", async () => {
        const rows: unknown = await db.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH numbered%'",
        );
        return Array.isArray(rows) && rows.length > 0;
      });
      await clockMoves();
      releasedAt = Math.floor(await databaseTime());
    });
    expect(Math.min(...timesOf(await waiting))).to.be.at.least(releasedAt);
  });
});
