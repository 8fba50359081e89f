import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { openBus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { sessionCancelCodec } from "#shared/contracts/session-cancel.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
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
      { seq: 2, type: "session.completed", status: "cancelled" },
    ]);
    expect(session).to.include({ last_seq: 2 });
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
    expect(await eventsOf(id)).to.have.length(2);
  });
});
