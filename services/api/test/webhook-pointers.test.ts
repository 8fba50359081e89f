import { createHmac, randomUUID } from "node:crypto";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseAnswer = compileParser("webhook response", WebhookResponse);
const SECRET = "the-secret-of-the-source-0123456789";
const hmac = (text: string) => createHmac("sha256", SECRET).update(text).digest("base64");
const firing = ({ key }: { key: string }) => ({ status: "firing", labels: { key }, startsAt: "now" });
const ACME = {
  name: "acme",
  verify: {
    type: "hmac",
    header: "X-Acme-Signature",
    prefix: "sha256=",
    encoding: "base64",
    timestamp_header: "X-Acme-Time",
    signed: "v0:{timestamp}:{body}",
    secret_env: "SOURCE_SECRET",
  },
  split: "/report/alerts",
  incident: "/report/alerts/key",
  event: "/report/alerts/since",
  resolved: { pointer: "/report/alerts/state", in: ["ok"] },
  start_when: ["env=prod", "state=bad", "site=~.+"],
  labels: { env: "prod", state: "/report/alerts/state", site: "/nowhere /site" },
  tags: "/report/alerts/tags",
  alert_types: [{ match: ["kind=db"], alert_type: "database" }],
};

describe("a source of alerts by JSON pointers", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    const tarsy = { ...TARSY, system: { webhooks: { alertmanager: { split: true }, sources: [ACME] } } };
    api = resources.use(await ApiFixture.start({ config: { tarsy }, env: { SOURCE_SECRET: SECRET } }));
  });
  after(() => resources.disposeAsync());

  const post = async (text: string, headers: Record<string, string> = {}) =>
    api.raw("POST", "/api/v1/webhooks/acme", {
      body: Buffer.from(text),
      headers: { "content-type": "application/json", ...headers },
    });
  const countSessions = async () => {
    const [row] = await api.servers.query("SELECT count(*)::int AS n FROM alert_sessions", []);
    return Number(Reflect.get(Object(row), "n"));
  };
  const send = async (text: string, ageSeconds = 0, sign = text) => {
    const time = String(Math.floor(Date.now() / 1_000) - ageSeconds);
    return post(text, {
      "X-Acme-Time": time,
      "X-Acme-Signature": `sha256=${hmac(`v0:${time}:${sign}`)}`,
    });
  };
  const report = (...alerts: readonly object[]) => JSON.stringify({ site: "eu", report: { alerts } });

  it("start a session for each alert of a list, with the rest of the body around it", async () => {
    const key = randomUUID();
    const bad = { key, since: 1, state: "bad", tags: { kind: "db" } };
    const body = report(bad, { ...bad, key: `${key}2`, tags: [] }, { ...bad, key: `${key}3`, state: "ok" });
    const { status, text } = await send(body);
    expect(status, text).to.equal(202);
    const { session_ids } = parseAnswer(JSON.parse(text));
    expect(session_ids).to.have.length(2);
    const row = await api.sessionRow("alert_type, alert_data", session_ids[0] ?? "");
    expect(row).to.include({ alert_type: "database" });
    const data: unknown = JSON.parse(String(Reflect.get(Object(row), "alert_data")));
    expect(data).to.deep.equal({ site: "eu", report: { alerts: bad } });
    expect(await api.sessionRow("alert_type", session_ids[1] ?? "")).to.include({ alert_type: "test" });
    const known = parseAnswer(JSON.parse((await send(body)).text));
    expect(known).to.include({ status: "known" }).and.have.deep.property("session_ids", session_ids);
    const later = parseAnswer(JSON.parse((await send(report({ ...bad, since: 2 }))).text));
    expect(later).to.include({ status: "queued" });
  });

  it("refuse a whole body of which one alert is wrong, and too many", async () => {
    const bad = { key: randomUUID(), state: "bad" };
    const before = await countSessions();
    for (const [text, why] of [
      [report(bad, { state: "bad" }), "report.alerts.key"],
      [report(...Array.from({ length: 1_001 }, () => bad)), "at most 1000 alerts"],
      ['{"report":{"alerts":{}}}', "'report.alerts': must be the list of alerts"],
      ['{"report":{"alerts":[7]}}', "report.alerts.key"],
      // The next number would be the same one.
      ['{"report":{"alerts":[{"key":12345678901234567890,"state":"bad"}]}}', "a number up to 2^53"],
    ] as const) {
      const answer = await send(text);
      expect([answer.status, answer.text.includes(why)], answer.text).to.deep.equal([400, true]);
    }
    expect(await countSessions()).to.equal(before);
  });

  it("refuse alerts that are too large with the rest of the body around each", async () => {
    const before = await countSessions();
    const alerts = Array.from({ length: 1_000 }, (_, n) => ({ key: `k${n}`, state: "bad" }));
    const body = (characters: number) =>
      JSON.stringify({ pad: "x".repeat(characters), site: "eu", report: { alerts } });
    for (const characters of [100_000, 7_000_000]) {
      const { status, text } = await send(body(characters));
      expect([status, text]).to.have.property("0", 413);
      expect(text).to.match(/at most \d+ bytes/u);
    }
    const group = { groupKey: "{}", pad: "x".repeat(100_000), alerts: alerts.map(firing) };
    const path = "/api/v1/webhooks/alertmanager";
    const headers = { "content-type": "application/json" };
    const answer = await api.raw("POST", path, { body: Buffer.from(JSON.stringify(group)), headers });
    expect([answer.status, answer.text]).to.have.property("0", 413);
    expect(await countSessions()).to.equal(before);
  });

  it("refuse a time more than five minutes away, none, and another body", async () => {
    const text = report({ key: randomUUID(), state: "bad" });
    for (const seconds of [301, -301, Number.NaN]) expect((await send(text, seconds)).status).to.equal(401);
    expect((await send(text, 0, `${text} `)).status).to.equal(401);
    expect((await post(text)).status).to.equal(401);
    expect((await send(text, 290)).status).to.equal(202);
  });

  it("take no label and no alert type from hostile text but what the source maps", async () => {
    const key = randomUUID();
    const tags = [
      "__proto__:x",
      "constructor",
      "kind:db\u0000",
      ":",
      "a:b:c",
      ...Array.from({ length: 5_000 }, () => "t"),
    ];
    const hostile = { key, state: "bad", tags, alert_type: "kubernetes", __proto__: { kind: "db" } };
    const { text } = await send(
      report(hostile).replace('"site"', '"alert_type":"kubernetes","env":"dev","site"'),
    );
    const { session_id = "" } = parseAnswer(JSON.parse(text));
    expect(await api.sessionRow("alert_type", session_id)).to.include({ alert_type: "test" });
  });
});
