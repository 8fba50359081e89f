import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

describe("the event log", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const newSession = async () => fixture.insertSession(db);
  const payload = (session_id: string, error_message: string): UnstampedPayload => ({
    type: "session.status",
    session_id,
    status: "failed",
    error_message,
  });
  const append = async (id: string, texts: readonly string[]) =>
    db.transaction(async (manager) =>
      appendEvents(
        manager,
        id,
        texts.map((text) => payload(id, text)),
      ),
    );

  it("reads back what was appended, numbered from 1, with ascending cursors", async () => {
    const [one, other] = [await newSession(), await newSession()];
    const first = await append(one, ["a", "b"]);
    await append(other, ["x"]);
    const second = await append(one, ["c"]);
    const all = await readEvents(db, one, { afterSeq: 0, limit: 10 });
    expect(all).to.deep.equal([...(first ?? []), ...(second ?? [])]);
    expect(all.map(({ seq }) => seq)).to.deep.equal([1, 2, 3]);
    const cursors = all.map(({ db_event_id }) => db_event_id);
    expect(cursors).to.deep.equal(cursors.toSorted((a, b) => a - b));
    expect(await readEvents(db, one, { afterSeq: 1, throughSeq: 2, limit: 10 })).to.deep.equal([all[1]]);
    expect(await readEvents(db, one, { afterSeq: 1, limit: 1 })).to.deep.equal([all[1]]);
  });

  it("appends nothing for a session it does not know, and numbers nothing when there is nothing", async () => {
    expect(await append(randomUUID(), ["a"])).to.deep.equal([]);
    const id = await newSession();
    expect(await append(id, [])).to.deep.equal([]);
    expect(await readEvents(db, id, { afterSeq: 0, limit: 1 })).to.deep.equal([]);
  });

  it("gives no number to a transaction that rolls back", async () => {
    const id = await newSession();
    await db
      .transaction(async (manager) => {
        await appendEvents(manager, id, [payload(id, "lost")]);
        throw new Error("no");
      })
      .catch(() => undefined);
    const [event] = (await append(id, ["kept"])) ?? [];
    expect(event).to.include({ seq: 1 });
  });

  it("keeps a payload of a mebibyte", async () => {
    const id = await newSession();
    const text = "💾".repeat(262_144);
    await append(id, [text]);
    const [event] = await readEvents(db, id, { afterSeq: 0, limit: 1 });
    expect(event?.payload).to.deep.include(payload(id, text));
  });
});
