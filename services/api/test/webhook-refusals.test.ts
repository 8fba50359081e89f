import { createHmac, randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";
import { PAGERDUTY, SECRET, TARSY, TOKEN, alert, env, group } from "./webhook-bodies.ts";

const AT_ONCE = 50;
const sources = [...TARSY.system.webhooks.sources, { ...PAGERDUTY, preset: "zabbix" }];

describe("wrong credentials of alert sources", () => {
  const resources = new AsyncDisposableStack();
  let loopback: ApiFixture;
  let locked: ApiFixture;

  before(async () => {
    loopback = resources.use(await ApiFixture.start({ config: { tarsy: TARSY }, env }));
    locked = resources.use(
      await ApiFixture.start({
        servers: loopback.servers,
        config: { tarsy: { ...TARSY, system: { webhooks: { ...TARSY.system.webhooks, sources } } } },
        env: { ...env, AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      }),
    );
  });
  after(() => resources.disposeAsync());

  const send = async (at: ApiFixture, path: string, body: object, headers: Record<string, string>) =>
    at.raw("POST", path, {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", ...headers },
    });
  const signed = async (at: ApiFixture, secret: string) => {
    const data = { id: `P${randomUUID()}`, title: "disk full" };
    const body = { event: { id: randomUUID(), event_type: "incident.triggered", data } };
    const signature = createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex");
    return send(at, "/api/v1/webhooks/pagerduty", body, { "x-pagerduty-signature": `v1=${signature}` });
  };
  const fired = async (at: ApiFixture, authorization: string) =>
    send(at, "/api/v1/webhooks/alertmanager", group([alert("one")]), { authorization });
  /** Sends failing requests until the address has failed too often; resolves with the number of answers by status. */
  const untilTooMany = async (attempt: () => Promise<{ readonly status: number }>) => {
    const counts = new Map<number, number>();
    await until("the address has failed too often", async () => {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, attempt));
      for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
      return counts.has(503);
    });
    return counts;
  };
  const basic = (password: string) => `Basic ${Buffer.from(`any:${password}`).toString("base64")}`;

  it("are in the audit log, with the source and without a caller", async () => {
    for (const at of [loopback, locked]) {
      await at.servers.query("TRUNCATE audit_log", []);
      for (const answer of [
        await signed(at, "another-secret-0123"),
        await fired(at, "Bearer wrong-token-0123456"),
        await fired(at, basic("wrong-token-0123456")),
      ]) {
        expect(answer.status, answer.text).to.equal(401);
      }
      const read = async () =>
        at.servers.query(
          "SELECT subject, via, peer, action, result, detail FROM audit_log WHERE result = 'refused' ORDER BY id",
          [],
        );
      await until("three refusals are recorded", async () => (await read()).length === 3);
      const rows = await read();
      for (const row of rows) {
        expect(row).to.include({ subject: "nobody", via: "none", peer: "127.0.0.1", action: "alert.submit" });
      }
      const signature = "X-PagerDuty-Signature is not that of this body with the webhook's secret";
      expect(rows[0]).to.have.deep.property("detail", { webhook: "pagerduty", reason: signature });
      if (at === loopback) {
        const token = "the token is not that of the webhook 'alertmanager'";
        expect(rows[1]).to.have.deep.property("detail", { webhook: "alertmanager", reason: token });
      }
    }
  });

  it("are named where the source has a header of its own, also where callers have keys", async () => {
    const answer = await send(
      locked,
      "/api/v1/webhooks/zabbix",
      {},
      { "x-tarsy-token": "wrong-token-0123456" },
    );
    expect([answer.status, answer.text]).to.have.property("0", 401);
    expect(answer.text).to.include("the token is not that of the webhook 'zabbix'");
  });

  it("are failed attempts of their address, which those of the api's own credentials follow", async () => {
    const counts = await untilTooMany(async () => signed(locked, "another-secret-0123"));
    expect([...counts.keys()]).to.have.members([401, 503]);
    expect(counts.get(401)).to.be.at.least(290);
    const wrong = { headers: { authorization: "Bearer wrong" } };
    const keys = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => locked.raw("GET", "/api/v1/sessions", wrong)),
    );
    expect(new Set(keys.map(({ status }) => status))).to.include(429);
    // What is right is never refused.
    expect((await signed(locked, SECRET)).status).to.equal(202);
    expect((await fired(locked, `Bearer ${TOKEN}`)).status).to.equal(202);
    expect((await fired(locked, basic(TOKEN))).status).to.equal(202);
  });

  it("are failed attempts also where no other credential is asked for", async () => {
    const counts = await untilTooMany(async () => fired(loopback, "Bearer wrong-token-0123456"));
    expect([...counts.keys()]).to.have.members([401, 503]);
    expect((await fired(loopback, `Bearer ${TOKEN}`)).status).to.equal(202);
  });
});
