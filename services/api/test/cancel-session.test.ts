import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { openBus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-signals.ts";
import { SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const REQUESTED = "Session cancellation requested";

describe("POST /api/v1/sessions/:id/cancel", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const cancel = async (id: string) => api.client.request("POST", `/api/v1/sessions/${id}/cancel`);
  const eventsOf = async (id: string): Promise<unknown[]> =>
    api.servers.query(
      "SELECT seq, payload ->> 'type' AS type, payload ->> 'status' AS status FROM events WHERE session_id = $1 ORDER BY seq",
      [id],
    );
  /** Removes the session's wake-up from the stream, as an executor that acknowledges it does. */
  const takeWakeUps = async (id: string) => {
    await until("its wake-up is removed", async () => {
      const { signal } = new AbortController();
      await using bus = await openBus({
        url: api.servers.nats.url,
        name: "test",
        log: api.deps.log,
        signal,
      });
      const manager = await bus.connection.jetstreamManager();
      await manager.streams.purge(SESSIONS_STREAM, { filter: SUBJECTS.wakeUp("normal", id) });
      return !(await api.deps.dispatcher.queued()).has(id);
    });
  };
  const start = async (id: string) => {
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [id],
    );
  };

  it("ends a pending session immediately, with numbered events", async () => {
    const id = await api.client.submit("x");
    expect(await cancel(id)).to.deep.equal({ status: 200, body: { session_id: id, message: REQUESTED } });
    const session = await api.client.session(id);
    expect(session).to.include({
      status: "cancelled",
      error_code: "user",
      error_message: "cancelled by the user",
    });
    expect(session).to.have.property("completed_at");
    expect(await eventsOf(id)).to.deep.equal([
      { seq: 1, type: "session.status", status: "cancelled" },
      { seq: 2, type: "review.status", status: null },
      { seq: 3, type: "session.completed", status: "cancelled" },
    ]);
    expect(session).to.include({ last_seq: 3, review_status: "reviewed" });
    // A person did it: list and session name the same.
    const { body } = await api.client.request("GET", "/api/v1/sessions?status=cancelled");
    expect(body).to.have.nested.property("sessions[0].cancelled.by", "api-client");
    expect(session).to.have.nested.property("cancelled.by", "api-client");
  });

  it("is answered with 503 and Retry-After when the session's row stays locked", async () => {
    const id = await api.client.submit("x");
    await api.db.transaction(async (manager) => {
      await manager.query("SELECT 1 FROM alert_sessions WHERE session_id = $1 FOR UPDATE", [id]);
      const { status, headers } = await api.raw("POST", `/api/v1/sessions/${id}/cancel`, {});
      expect([status, headers.get("retry-after")]).to.deep.equal([503, "1"]);
    });
    expect(await cancel(id)).to.include({ status: 200 });
  });

  it("marks a running session as cancelling once, and notifies its owner each time", async () => {
    const id = await api.client.submit("x");
    await start(id);
    const { signal } = new AbortController();
    const { log } = api.deps;
    await using bus = await openBus({ url: api.servers.nats.url, name: "test", log, signal });
    const notified: string[] = [];
    const cancels = subscribe(bus, SUBJECTS.allCancels, sessionCancelCodec, ({ session_id }) =>
      notified.push(session_id),
    );
    await cancels.live();
    expect(await cancel(id)).to.include({ status: 200 });
    expect(await cancel(id)).to.include({ status: 200 });
    expect(await eventsOf(id)).to.deep.equal([{ seq: 1, type: "session.status", status: "cancelling" }]);
    expect(await api.client.session(id)).to.include({ status: "cancelling" });
    await until("both cancels arrive", () => notified.length === 2);
    expect(notified).to.deep.equal([id, id]);
  });

  /** Lets the api send wake-ups immediately, as it does after its first sweep. */
  const catchUp = async () => {
    const { dispatcher } = api.deps;
    await until("the api is connected to the bus", async () => (await dispatcher.queued()).size >= 0);
    await dispatcher.startSweep().finish();
  };

  it("ends the wait of a deferred session and wakes an executor, each time", async () => {
    const { dispatcher } = api.deps;
    await catchUp();
    const id = await api.client.submit("x");
    await start(id);
    await api.servers.query(
      `UPDATE session_runtime SET not_before = now() + interval '1 h', waiting_since = now(),
         waiting_for = '{"kind":"provider"}' WHERE session_id = $1`,
      [id],
    );
    for (let n = 0; n < 2; n += 1) {
      await takeWakeUps(id);
      expect(await cancel(id)).to.include({ status: 200 });
      await until("its wake-up is in the stream", async () => (await dispatcher.queued()).has(id));
    }
    const [row] = await api.servers.query(
      "SELECT not_before, waiting_for, waiting_since IS NULL AS cleared FROM session_runtime WHERE session_id = $1",
      [id],
    );
    expect(row).to.deep.equal({ not_before: null, waiting_for: { kind: "provider" }, cleared: false });
  });

  it("wakes no executor for a session that is owned or that it ended itself", async () => {
    await catchUp();
    const [owned, pending] = [await api.client.submit("x"), await api.client.submit("x")];
    await start(owned);
    await api.servers.query(
      "UPDATE session_runtime SET lease_expires_at = now() + interval '1 h' WHERE session_id = $1",
      [owned],
    );
    const { wakeups } = api.deps.metrics;
    const sent = async () => (await wakeups.get()).values.reduce((sum, { value }) => sum + value, 0);
    await until("both are dispatched", async () => {
      const queued = await api.deps.dispatcher.queued();
      return queued.has(owned) && queued.has(pending);
    });
    const before = await sent();
    for (const id of [owned, pending]) expect(await cancel(id)).to.include({ status: 200 });
    // A wake-up would be sent before the next request's.
    const marker = await api.client.submit("x");
    await until("the marker is sent", async () => {
      const queued = await api.deps.dispatcher.queued();
      return queued.has(marker) && (await sent()) > before;
    });
    expect(await sent()).to.equal(before + 1);
  });

  it("is refused with 409 once the session is terminal", async () => {
    const id = await api.client.submit("x");
    for (const status of ["completed", "failed", "cancelled", "timed_out"]) {
      await api.servers.query(
        "UPDATE alert_sessions SET status = $2::session_status, completed_at = now() WHERE session_id = $1",
        [id, status],
      );
      expect(await cancel(id)).to.deep.equal({
        status: 409,
        body: { message: "session is not in a cancellable state" },
      });
    }
    expect(await eventsOf(id)).to.deep.equal([]);
  });

  it("answers 404 for an unknown id and 400 for an invalid one", async () => {
    expect(await cancel(randomUUID())).to.deep.equal({
      status: 404,
      body: { message: "resource not found" },
    });
    expect(await cancel("42")).to.deep.equal({
      status: 400,
      body: { message: "validation error on field 'session_id': must be a UUID" },
    });
  });

  it("accepts one of twenty concurrent cancels, and numbers its events without a gap", async () => {
    const id = await api.client.submit("x");
    const answers = await Promise.all(Array.from({ length: 20 }, async () => cancel(id)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(await eventsOf(id)).to.have.length(3);
  });
});
