import { createHmac, randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { PAGERDUTY, SECRET, TARSY, TOKEN, alert, env, group } from "./webhook-bodies.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));
const stages = [{ name: "look", agents: [{ name: "TestAgent" }] }];
const priorities = [
  { match: ["severity=critical"], priority: "critical" },
  { match: ['severity=~"info|none"'], priority: "low" },
];
const CONFIG = {
  ...TARSY,
  agent_chains: { ...TARSY.agent_chains, slow: { alert_types: ["slow"], priority: "low", stages } },
  system: {
    webhooks: {
      alertmanager: { token_env: "AM_TOKEN", priorities },
      raw: { priorities },
      sources: [
        {
          ...PAGERDUTY,
          priority: "low",
          priorities: [{ match: ["urgency=high"], priority: "critical" }],
        },
      ],
    },
  },
};

describe("the priority of a session", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let locked: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: { tarsy: CONFIG }, env }));
    locked = resources.use(
      await ApiFixture.start({
        servers: api.servers,
        config: { tarsy: CONFIG },
        env: { ...env, AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      }),
    );
  });
  after(() => resources.disposeAsync());

  const send = async (path: string, body: unknown, headers: Record<string, string> = {}, at = api) => {
    const { status, text } = await at.raw("POST", `/api/v1/${path}`, {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    });
    return { status, body: parseObject(JSON.parse(text)) };
  };
  const priorityOf = async (answer: Awaited<ReturnType<typeof send>>) => {
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    const { text } = await api.raw("GET", `/api/v1/sessions/${String(answer.body["session_id"])}`, {});
    return parseObject(JSON.parse(text))["priority"];
  };

  it("is that of the alert, else that of its chain, else normal", async () => {
    expect(await priorityOf(await send("alerts", { data: "x" }))).to.equal("normal");
    expect(await priorityOf(await send("alerts", { data: "x", priority: null }))).to.equal("normal");
    expect(await priorityOf(await send("alerts", { data: "x", alert_type: "slow" }))).to.equal("low");
    for (const priority of ["critical", "normal", "low"]) {
      expect(await priorityOf(await send("alerts", { data: "x", alert_type: "slow", priority }))).to.equal(
        priority,
      );
    }
    const keyed = { "idempotency-key": randomUUID() };
    expect(await priorityOf(await send("alerts", { data: "x", priority: "low" }, keyed))).to.equal("low");
    expect(await send("alerts", { data: "x", priority: "normal" }, keyed)).to.have.property("status", 422);
    const long = { data: "x".repeat(40_000), priority: "low" };
    expect(await priorityOf(await send("alerts", long))).to.equal("low");
  });

  it("must be a known one, and critical only for operators", async () => {
    const odd = await send("alerts", { data: "x", priority: "urgent" });
    expect(odd.status).to.equal(400);
    expect(JSON.stringify(odd.body)).to.include("field 'priority'").and.include("critical");
    expect((await send("alerts", { data: "x", priority: 1 })).status).to.equal(400);
    const critical = { data: "x", priority: "critical" };
    const submitter = await locked.keyOf("sue", ["submitter"]);
    const refused = await send("alerts", critical, submitter, locked);
    expect(refused.status).to.equal(403);
    expect(JSON.stringify(refused.body)).to.include("needs role operator");
    expect((await send("alerts", { data: "x", priority: "low" }, submitter, locked)).status).to.equal(202);
    expect(
      (await send("alerts", critical, await locked.keyOf("olga", ["operator"]), locked)).status,
    ).to.equal(202);
  });

  it("is that of the first rule of a webhook that an alert fulfils; of a group that of its most urgent one", async () => {
    const bearer = { authorization: `Bearer ${TOKEN}` };
    const notify = async (...alerts: readonly object[]) =>
      priorityOf(await send("webhooks/alertmanager", group(alerts, { commonLabels: {} }), bearer));
    const one = (severity: string, more: object = {}) =>
      alert(`a-${randomUUID()}`, { labels: { alertname: "a", severity }, ...more });
    expect(await notify(one("warning"))).to.equal("normal");
    expect(await notify(one("info"))).to.equal("low");
    expect(await notify(one("info"), one("critical"))).to.equal("critical");
    expect(await notify(one("info"), one("critical", { status: "resolved" }))).to.equal("low");
  });

  it("is the source's where no rule matches, and that of a raw alert's query before all", async () => {
    const event = async (urgency: string) => {
      const body = JSON.stringify({
        event: {
          id: randomUUID(),
          event_type: "incident.triggered",
          data: { id: randomUUID(), title: "t", urgency },
        },
      });
      const signature = createHmac("sha256", SECRET).update(body).digest("hex");
      return priorityOf(
        await send("webhooks/pagerduty", body, { "x-pagerduty-signature": `v1=${signature}` }),
      );
    };
    expect(await event("low")).to.equal("low");
    expect(await event("high")).to.equal("critical");
    expect(await priorityOf(await send("webhooks/raw", { severity: "none" }))).to.equal("low");
    expect(await priorityOf(await send("webhooks/raw?priority=normal", { severity: "none" }))).to.equal(
      "normal",
    );
    const twice = await send("webhooks/raw?priority=low&priority=low", {});
    expect(JSON.stringify(twice.body)).to.include("field 'priority': must be given once");
    expect((await send("webhooks/raw?priority=odd", {})).status).to.equal(400);
  });

  it("filters the list, and is shown in it", async () => {
    await send("alerts", { data: "x", alert_type: "slow", priority: "critical" });
    const list = async (query: string) => {
      const { text } = await api.raw("GET", `/api/v1/sessions?${query}`, {});
      const { sessions } = parseObject(JSON.parse(text));
      return (Array.isArray(sessions) ? sessions : []).map((one: unknown) => parseObject(one)["priority"]);
    };
    expect(new Set(await list("priority=critical"))).to.deep.equal(new Set(["critical"]));
    expect(new Set(await list("priority=critical,low"))).to.deep.equal(new Set(["critical", "low"]));
    expect((await api.raw("GET", "/api/v1/sessions?priority=odd", {})).status).to.equal(400);
  });
});
