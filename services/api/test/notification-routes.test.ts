import { expect } from "chai";
import { Registry } from "prom-client";
import { until } from "../../../test/support/until.ts";
import { createApiMetrics } from "../api-metrics.ts";
import { watchOutbox } from "../notifications/watch-outbox.ts";
import { removeExpired } from "../sweeper/remove-expired.ts";
import { NotificationsFixture } from "./notifications-fixture.ts";

describe("the routes of notifications", () => {
  let fixture: NotificationsFixture;

  beforeEach(async () => {
    fixture = await NotificationsFixture.start({ slack: false });
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const ended = async () => {
    const id = await fixture.submit();
    await fixture.begin(id);
    await fixture.end(id);
    return id;
  };
  const state = async (id: string) => (await fixture.rows(id))[0]?.state;
  const get = async (path: string) => (await fixture.api.client.request("GET", path)).body;
  const post = async (path: string) => fixture.api.client.request("POST", path);

  it("list what waits and what was given up, newest first, in pages", async () => {
    const ids = [await ended(), await ended(), await ended()];
    const [oldest = ""] = ids;
    fixture.hook.answer({ status: 404, body: "no such hook" });
    const { stop } = fixture.send();
    await until("all are settled", async () =>
      (await Promise.all(ids.map(state))).every((one) => one !== "pending"),
    );
    await stop();
    const all = await get("/api/v1/notifications");
    expect(all["has_more"]).to.equal(false);
    expect(all["notifications"]).to.have.length(3);
    const first = await get("/api/v1/notifications?limit=2");
    expect(first["has_more"]).to.equal(true);
    const dead = JSON.stringify(await get("/api/v1/notifications?state=dead&destination=webhook:ops"));
    expect(dead).to.contain('"last_error":"status 404: no such hook"');
    expect(JSON.stringify(await get(`/api/v1/notifications?session_id=${oldest}`))).to.contain(oldest);
    expect((await fixture.api.client.request("GET", "/api/v1/notifications?state=lost")).status).to.equal(
      400,
    );
  });

  it("send one again that was given up, from its first attempt, also after a 410, and none that was sent", async () => {
    const id = await ended();
    fixture.hook.answer({ status: 410 });
    fixture.send();
    await until("it is dead", async () => (await state(id)) === "dead");
    const row = (await fixture.rows(id))[0]?.id ?? 0;
    const warnings = JSON.stringify(await get("/api/v1/system/warnings"));
    expect(warnings).to.contain("webhook:ops wants no notifications any more");
    const retried = await post(`/api/v1/notifications/${row}/retry`);
    expect(retried.status).to.equal(200);
    expect(retried.body).to.include({ id: row, state: "pending", attempts: 0 });
    await until("it is sent", async () => (await state(id)) === "sent");
    expect((await post(`/api/v1/notifications/${row}/retry`)).status).to.equal(409);
    expect((await post("/api/v1/notifications/999999/retry")).status).to.equal(404);
    expect((await post("/api/v1/notifications/x/retry")).status).to.equal(400);
    await until("the audit log has it", async () =>
      JSON.stringify(await get("/api/v1/audit?action=notification.retry")).includes(
        `"notification_id":${row}`,
      ),
    );
  });

  it("warn of a destination that fails, and of one that the configuration does not have", async () => {
    const id = await ended();
    const { db } = fixture.api;
    await db.query(
      `INSERT INTO notification_destinations (destination, failures, failing_since, last_error)
       VALUES ('webhook:ops', 3, '2026-01-02T03:04:05Z', 'status 500')`,
    );
    await db.query("UPDATE outbox SET destination = 'webhook:gone', dedup_key = 'x' WHERE session_id = $1", [
      id,
    ]);
    const { warnings } = await get("/api/v1/system/warnings");
    const text = JSON.stringify(warnings);
    expect(text).to.contain("notifications to webhook:gone are not sent");
    expect(text).to.contain("webhook:ops takes no notifications");
    expect(text).to.contain('"created_at":"2026-01-02T03:04:05.000Z"');
  });

  it("show in the metrics how many wait, and since when", async () => {
    const id = await ended();
    await fixture.api.db.query(
      "UPDATE outbox SET created_at = now() - interval '1 h' WHERE session_id = $1",
      [id],
    );
    const registry = new Registry();
    const { log, db } = fixture.api.deps;
    const stopping = new AbortController();
    const metrics = createApiMetrics(registry);
    const watching = watchOutbox({ db, log, metrics, destinations: ["slack"] }, stopping.signal);
    await until("the metrics are there", async () => (await registry.metrics()).includes("webhook:ops"));
    stopping.abort();
    await watching;
    const text = await registry.metrics();
    expect(text).to.contain('tarsy_api_notifications_pending{destination="webhook:ops"} 1');
    expect(text).to.match(/oldest_seconds\{destination="webhook:ops"\} 36\d\d/u);
    expect(text).to.contain('tarsy_api_notifications_oldest_seconds{destination="slack"} 0');
  });

  it("lose old ones to the clean-up: 30 days after they were settled, and what could not be sent within 7", async () => {
    const [old, fresh, stuck] = [await ended(), await ended(), await ended()];
    const { db } = fixture.api;
    const settle =
      "UPDATE outbox SET state = 'sent', settled_at = now() - $2 * interval '1 day' WHERE session_id = $1";
    await db.query(settle, [old, 31]);
    await db.query(settle, [fresh, 29]);
    await db.query("UPDATE outbox SET created_at = now() - interval '8 days' WHERE session_id = $1", [stuck]);
    await db.query(
      "INSERT INTO notification_destinations (destination) VALUES ('webhook:gone'), ('webhook:ops')",
    );
    await removeExpired(fixture.api.deps.db, 90, new AbortController().signal);
    expect(await fixture.rows(old)).to.deep.equal([]);
    expect(await state(fresh)).to.equal("sent");
    expect((await fixture.rows(stuck))[0]).to.include({
      state: "dead",
      last_error: "not sent within 7 days",
    });
    expect(await db.query("SELECT destination FROM notification_destinations")).to.deep.equal([
      { destination: "webhook:ops" },
    ]);
  });
});
