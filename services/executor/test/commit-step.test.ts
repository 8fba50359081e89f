import { expect } from "chai";
import type { EntityManager } from "typeorm";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { CancelledError } from "#shared/errors.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "../persist/commit-step.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

describe("commitStep", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  const event = (sessionId: string): UnstampedPayload => ({
    type: "session.status",
    session_id: sessionId,
    status: "in_progress",
  });
  /** A step that leaves a mark in the session's row. */
  const mark =
    ({ sessionId }: OwnedSession, text: string) =>
    async (manager: EntityManager) => {
      await manager.query("UPDATE alert_sessions SET executive_summary = $2 WHERE session_id = $1", [
        sessionId,
        text,
      ]);
      return { events: [event(sessionId)] };
    };
  const commit = async (session: OwnedSession, text: string, kind: "step" | "finish" | "close" = "step") => {
    try {
      await commitStep(session, mark(session, text), kind);
      return "committed";
    } catch (error) {
      if (error instanceof CancelledError) return error.reason;
      throw error;
    }
  };
  const written = async (id: string) =>
    executor.query(
      "SELECT executive_summary AS mark, last_seq FROM alert_sessions JOIN session_runtime USING (session_id) WHERE session_id = $1",
      [id],
    );

  it("writes rows, events and token sums in one transaction and resets attempts and interruptions", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    await executor.query("UPDATE session_runtime SET attempts = 3, interruptions = 2 WHERE session_id = $1", [
      id,
    ]);
    const tokens = { input: 1, output: 2, thinking: 3, total: 6 };
    const write = async () => Promise.resolve({ events: [event(id), event(id)], tokens });
    await commitStep(session, write);
    await commitStep(session, write);
    expect(
      await executor.row(
        "session_runtime",
        "attempts, interruptions, last_seq, input_tokens::int, output_tokens::int, thinking_tokens::int, total_tokens::int, lease_expires_at > now() AS leased",
        id,
      ),
    ).to.deep.equal({
      attempts: 0,
      interruptions: 0,
      last_seq: 5,
      input_tokens: 2,
      output_tokens: 4,
      thinking_tokens: 6,
      total_tokens: 12,
      leased: true,
    });
  });

  it("writes nothing with a stale epoch, of any kind, and stops the session", async () => {
    const id = await executor.insert();
    await using former = await executor.own(id);
    await executor.expireLease(id);
    await using current = await executor.own(id);
    for (const kind of ["step", "finish", "close"] as const) {
      expect(await commit(former, "former", kind)).to.equal("lease_lost");
    }
    expect(former.signal.aborted).to.equal(true);
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
    expect(await commit(current, "current")).to.equal("committed");
    expect(await written(id)).to.deep.equal([{ mark: "current", last_seq: 2 }]);
  });

  it("writes nothing after a cancel, except what closes the session", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    await executor.cancel(id);
    expect(await commit(session, "step")).to.equal("user");
    expect(await commit(session, "finish", "finish")).to.equal("user");
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
    expect(await commit(session, "close", "close")).to.equal("committed");
    expect(await written(id)).to.deep.equal([{ mark: "close", last_seq: 2 }]);
  });

  it("releases the lease with the last write and refuses any write after it", async () => {
    for (const kind of ["finish", "close"] as const) {
      const id = await executor.insert();
      await using session = await executor.own(id);
      expect(await commit(session, "last", kind)).to.equal("committed");
      expect(await executor.row("session_runtime", "lease_expires_at", id)).to.deep.equal({
        lease_expires_at: null,
      });
      expect(await commit(session, "one more", "close")).to.equal("lease_lost");
      expect(await written(id)).to.deep.equal([{ mark: "last", last_seq: 2 }]);
    }
  });

  it("leaves no trace of a step that throws", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const error = await commitStep(session, async (manager) => {
      await mark(session, "half")(manager);
      throw new Error("no");
    }).catch((thrown: unknown) => thrown);
    expect(error).to.be.an("error").with.property("message", "no");
    expect(session.signal.aborted).to.equal(false);
    expect(await written(id)).to.deep.equal([{ mark: null, last_seq: 1 }]);
  });

  it("keeps the event numbers of a session contiguous with twenty concurrent writers", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const asSystem = async () =>
      executor.db.transaction(async (manager) => appendEvents(manager, id, { kind: "system" }, [event(id)]));
    const asOwner = async () =>
      commitStep(session, async () => Promise.resolve({ events: [event(id), event(id)] }));
    await Promise.all(Array.from({ length: 20 }, async (_, n) => (n % 2 === 0 ? asSystem() : asOwner())));
    const rows = await executor.query("SELECT seq FROM events WHERE session_id = $1 ORDER BY id", [id]);
    expect(rows).to.deep.equal(Array.from({ length: 31 }, (_, n) => ({ seq: n + 1 })));
    expect(await executor.row("session_runtime", "last_seq", id)).to.deep.equal({ last_seq: 31 });
  });
});
