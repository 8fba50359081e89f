import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("the api without NATS or Postgres", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ ownServers: true }));
    await api.untilConnected();
  });
  after(() => resources.disposeAsync());

  it("accepts alerts and cancels while NATS is down", async () => {
    const running = await api.client.submit("x");
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'in_progress', started_at = now() WHERE session_id = $1",
      [running],
    );
    await api.servers.killNats();
    const pending = await api.client.submit("y");
    for (const [id, status] of [
      [pending, "cancelled"],
      [running, "cancelling"],
    ] as const) {
      expect(await api.client.request("POST", `/api/v1/sessions/${id}/cancel`)).to.include({ status: 200 });
      expect(await api.client.session(id)).to.include({ status });
    }
    const health = await api.client.request("GET", "/health");
    expect(health).to.include({ status: 200 });
    expect(health.body).to.include({ status: "degraded" });
    expect(health.body["nats"]).to.include({ status: "unhealthy", error: "NATS is not connected" });
    await api.servers.restartNats();
  });

  it("runs sessions on streams that have too few replicas, and reports that", async () => {
    await using wanting = await ApiFixture.start({ servers: api.servers, env: { NATS_REPLICAS: "3" } });
    const reader = new ApiClient({ url: `http://127.0.0.1:${wanting.port}` });
    // Before that the streams are not known, which is `degraded` for the whole, too.
    const { status, checks } = await until("the streams are prepared", async () => {
      const answer = await reader.call("GET /health");
      return answer.checks["queue"]?.status === "degraded" && answer;
    });
    expect(status).to.equal("degraded");
    expect((await wanting.client.request("GET", "/health")).status).to.equal(200);
    expect(checks["queue"]?.message).to.match(/the stream SESSIONS has 1 of 3 replicas .* NATS_REPLICAS=1/u);
    wanting.sweep(100);
    const id = await wanting.client.submit("z");
    await until("the session is queued", async () => (await wanting.deps.dispatcher.queued()).has(id));
  });

  it("answers 503 with Retry-After on every route that needs Postgres", async () => {
    // The next alert has a configuration that is known to be stored, and needs Postgres for its row alone.
    await api.client.submit("x");
    await api.servers.stopPostgres();
    const session = `/api/v1/sessions/${randomUUID()}`;
    const body = Buffer.from('{"data":"x"}');
    const json = { "content-type": "application/json" };
    const requests: [string, string, Parameters<ApiFixture["raw"]>[2]][] = [
      ["POST", "/api/v1/alerts", { body, headers: json }],
      ["POST", "/api/v1/alerts", { body, headers: { ...json, "idempotency-key": "k" } }],
      ["GET", session, {}],
      ["GET", `${session}/timeline`, {}],
      ["GET", `${session}/trace`, {}],
      ["GET", `${session}/trace/llm/${randomUUID()}`, {}],
      ["GET", `${session}/events`, {}],
      ["GET", `${session}/events`, { headers: { accept: "text/event-stream" } }],
      ["POST", `${session}/cancel`, {}],
      ["GET", "/health", {}],
    ];
    for (const [method, path, options] of requests) {
      const { status, headers } = await api.raw(method, path, options);
      expect([status, headers.get("retry-after")], `${method} ${path}`).to.deep.equal([503, "1"]);
    }
    for (const path of ["/api/v1/alert-types", "/api/v1/system/config"]) {
      expect(await api.raw("GET", path), path).to.include({ status: 200 });
    }
    const client = new ApiClient({ url: `http://127.0.0.1:${api.port}` });
    const { checks } = await client.call("GET /health", { accepts: [503] });
    expect(checks["database"]).to.include({ status: "unhealthy" });
    const refusal: unknown = await client.call("GET /health").catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(ApiFailure).and.to.include({ status: 503 });
    await api.servers.restartPostgres();
    await api.client.submitUntilAccepted("back again");
  });
});
