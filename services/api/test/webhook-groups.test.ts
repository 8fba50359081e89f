import { createHmac, randomUUID } from "node:crypto";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { groupReads } from "./alert-group-fixture.ts";
import { ApiFixture } from "./api-fixture.ts";
import { PAGERDUTY, SECRET, TARSY, alert, env, group } from "./webhook-bodies.ts";

const parseAnswer = compileParser("webhook response", WebhookResponse);
const RESOLVED = { status: "resolved", endsAt: "2026-11-23T09:00:00Z" };

const configured = (alertmanager: object, more: object = {}) => ({
  tarsy: {
    ...TARSY,
    system: {
      webhooks: {
        alertmanager: { alert_type: "test", ...alertmanager },
        sources: [{ ...PAGERDUTY, grouping: { by: ["/event/data/service/id"], on_resolved: "cancel" } }],
        raw: {
          grouping: {
            by: ["/host"],
            on_resolved: "cancel",
            resolved: { path: "/ok", values: ["1"], alert: ["/check"] },
          },
        },
      },
    },
    ...more,
  },
});

describe("webhooks with a grouping", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let split: ApiFixture;
  let chained: ApiFixture;

  before(async () => {
    const grouping = { on_resolved: "conclude" };
    api = resources.use(await ApiFixture.start({ config: configured({ grouping }), env }));
    const { servers } = api;
    const options = { servers, env };
    split = resources.use(
      await ApiFixture.start({ ...options, config: configured({ split: true, grouping }) }),
    );
    const stages = [{ name: "look", agents: [{ name: "TestAgent" }] }];
    const plain = {
      alert_types: ["test"],
      stages,
      grouping: { by: ["/commonLabels/cluster"], on_resolved: "cancel" },
    };
    chained = resources.use(
      await ApiFixture.start({
        ...options,
        config: configured({}, { agent_chains: { ...TARSY.agent_chains, plain } }),
      }),
    );
  });
  after(() => resources.disposeAsync());

  const taken = async (
    source: string,
    body: object,
    { at = api, headers = {} }: { readonly at?: ApiFixture; readonly headers?: Record<string, string> } = {},
  ) => {
    const answer = await at.raw("POST", `/api/v1/webhooks/${source}`, {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", ...headers },
    });
    expect(answer.status, answer.text).to.equal(202);
    const decoded: unknown = JSON.parse(answer.text);
    return parseAnswer(decoded);
  };
  const { count, rows } = groupReads(() => api);
  const status = async (id: string | undefined) => api.sessionRow("status", id ?? "");

  describe("Alertmanager", () => {
    it("has an alert that joins its group join the session, and does not count what it repeats", async () => {
      const one = group([alert("one")]);
      const first = await taken("alertmanager", one);
      expect(first).to.include({ status: "queued" });
      expect(await taken("alertmanager", one)).to.include({ status: "known", session_id: first.session_id });
      const two = { ...one, alerts: [...one.alerts, alert("two")] };
      for (const answer of ["linked", "known"]) {
        expect(await taken("alertmanager", two)).to.include({ status: answer, session_id: first.session_id });
      }
      // One of them is over: those that are left are no news.
      const left = { ...one, alerts: [alert("one", RESOLVED), alert("two")] };
      await taken("alertmanager", left);
      expect(await count("steering_messages WHERE session_id = $1", [first.session_id])).to.equal(0);
      const over = { ...one, alerts: [alert("one", RESOLVED), alert("two", RESOLVED)] };
      for (const answer of ["linked", "known"]) {
        expect(await taken("alertmanager", over)).to.include({
          status: answer,
          session_id: first.session_id,
        });
      }
      expect(await rows(first.session_id)).to.have.length(3);
      expect(
        await count("steering_messages WHERE session_id = $1 AND mode = 'conclude'", [first.session_id]),
      ).to.equal(1);
    });

    it("stores what is over and belongs to no session once, and starts none", async () => {
      const body = group([alert(randomUUID(), RESOLVED)]);
      const before = await count("alert_sessions", []);
      for (let n = 0; n < 2; n++) {
        expect(await taken("alertmanager", body)).to.deep.include({ status: "resolved", session_ids: [] });
      }
      expect(await count("alert_sessions", [])).to.equal(before);
      expect(
        await count("alert_notifications WHERE body LIKE $1", [`%${body.groupKey.slice(14, 50)}%`]),
      ).to.equal(1);
    });

    it("has one session for the alerts of a group with `split`, which concludes once each is over", async () => {
      const body = group([alert("one"), alert("two"), alert("three")]);
      const first = await taken("alertmanager", body, { at: split });
      expect(first.session_ids).to.have.length(1);
      expect(first).to.include({ status: "queued" });
      const told = async () => count("steering_messages WHERE session_id = $1", [first.session_id]);
      for (const [over, messages] of [
        [["one"], 0],
        [["two", "three"], 1],
      ] as const) {
        const resolved = { ...body, alerts: over.map((name) => alert(name, RESOLVED)) };
        expect(await taken("alertmanager", resolved, { at: split })).to.include({ status: "linked" });
        expect(await told()).to.equal(messages);
      }
      expect(await rows(first.session_id)).to.have.length(6);
    });

    it("uses the grouping of the chain where it has none, over all of its groups", async () => {
      const cluster = { commonLabels: { cluster: randomUUID() } };
      const [one, two] = [group([alert("one")], cluster), group([alert("two")], cluster)];
      const first = await taken("alertmanager", one, { at: chained });
      expect(await taken("alertmanager", two, { at: chained })).to.include({
        status: "linked",
        session_id: first.session_id,
      });
      await taken("alertmanager", { ...one, alerts: [alert("one", RESOLVED)] }, { at: chained });
      expect(await status(first.session_id)).to.deep.equal({ status: "pending" });
      await taken("alertmanager", { ...two, alerts: [alert("two", RESOLVED)] }, { at: chained });
      expect(await status(first.session_id)).to.deep.equal({ status: "cancelled" });
    });
  });

  it("of PagerDuty have one session for the incidents of a service, cancelled once each is resolved", async () => {
    const service = { id: randomUUID() };
    const event = (type: string, id: string, eventId: string = randomUUID()) => ({
      event: { id: eventId, event_type: `incident.${type}`, data: { id, title: "down", service } },
    });
    const post = async (body: object) => {
      const signature = createHmac("sha256", SECRET).update(JSON.stringify(body)).digest("hex");
      return taken("pagerduty", body, { headers: { "x-pagerduty-signature": `v1=${signature}` } });
    };
    const [a, b] = [randomUUID(), randomUUID()];
    const first = await post(event("triggered", a));
    expect(first).to.include({ status: "queued" });
    expect(await post(event("triggered", a))).to.include({ status: "known", session_id: first.session_id });
    expect(await post(event("triggered", b))).to.include({ status: "linked", session_id: first.session_id });
    expect(await post(event("acknowledged", b))).to.include({ status: "known" });
    const resolved = event("resolved", a);
    expect(await post(resolved)).to.include({ status: "linked" });
    expect(await post(resolved)).to.include({ status: "known" });
    expect(await status(first.session_id)).to.deep.equal({ status: "pending" });
    await post(event("resolved", b));
    expect(await status(first.session_id)).to.deep.equal({ status: "cancelled" });
    expect(await rows(first.session_id)).to.have.length(4);
  });

  it("of a raw body group it as the mapping says", async () => {
    const host = randomUUID();
    const first = await taken("raw", { host, check: "disk", ok: 0 });
    expect(await taken("raw", { host, check: "load", ok: 0 })).to.include({
      status: "linked",
      session_id: first.session_id,
    });
    await taken("raw", { host, check: "disk", ok: 1 });
    expect(await status(first.session_id)).to.deep.equal({ status: "pending" });
    await taken("raw", { host, check: "load", ok: 1 });
    expect(await status(first.session_id)).to.deep.equal({ status: "cancelled" });
  });
});
