import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { SPLIT, TARSY, TOKEN, alert, env, group } from "./webhook-bodies.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseAnswer = compileParser("webhook response", WebhookResponse);
describe("webhooks of alert sources", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let split: ApiFixture;
  let locked: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: { tarsy: TARSY }, env }));
    const { servers } = api;
    split = resources.use(await ApiFixture.start({ servers, config: { tarsy: SPLIT } }));
    locked = resources.use(
      await ApiFixture.start({
        servers,
        config: { tarsy: TARSY },
        env: { ...env, AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0", SUBMISSIONS_PER_MINUTE: "10" },
      }),
    );
  });
  after(() => resources.disposeAsync());

  const send = async (
    source: string,
    body: unknown,
    { at = api, headers = {} }: { readonly at?: ApiFixture; readonly headers?: Record<string, string> } = {},
  ) => {
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const answer = await at.raw("POST", `/api/v1/webhooks/${source}`, {
      body: bytes,
      headers: { "content-type": "application/json", ...headers },
    });
    const decoded: unknown = JSON.parse(answer.text);
    return { ...answer, body: decoded };
  };
  const taken = async (...request: Parameters<typeof send>) => {
    const { status, body } = await send(...request);
    expect(status, JSON.stringify(body)).to.equal(202);
    return parseAnswer(body);
  };
  const stored = async (id: string | undefined) => {
    const [row] = await api.servers.query(
      "SELECT alert_type, author, owner_subject, alert_data FROM alert_sessions WHERE session_id = $1",
      [id],
    );
    return row;
  };
  const notifications = async (id: string) =>
    api.servers.query("SELECT source, body FROM alert_notifications WHERE session_id = $1", [id]);

  describe("Alertmanager", () => {
    it("starts one session for a group and its alerts, however often and by whichever sender it is repeated", async () => {
      const body = group([alert("one"), alert("two")]);
      const answers = await Promise.all(Array.from({ length: 10 }, async () => taken("alertmanager", body)));
      const ids = new Set(answers.map(({ session_id }) => session_id));
      expect(ids.size).to.equal(1);
      expect(answers.filter(({ status }) => status === "queued")).to.have.length(1);
      const [id] = ids;
      expect(await stored(id)).to.deep.include({ alert_type: "database", author: "alertmanager" });
      const again = { ...body, alerts: body.alerts.toReversed(), externalURL: "http://twin.example" };
      expect(await taken("alertmanager", again)).to.deep.include({ session_id: id, status: "known" });
      await api.servers.query(
        "UPDATE idempotency_keys SET expires_at = now() + interval '1 h' WHERE session_id = $1",
        [id],
      );
      await taken("alertmanager", body);
      const [kept] = await api.servers.query(
        "SELECT expires_at > now() + interval '13 days' AS kept FROM idempotency_keys WHERE session_id = $1",
        [id],
      );
      expect(kept).to.deep.equal({ kept: true });
    });

    it("starts another for another group, another alert and one that fires anew", async () => {
      const body = group([alert("one")]);
      const ids = new Set<string | undefined>();
      for (const other of [
        body,
        { ...body, groupKey: `${body.groupKey}2` },
        { ...body, alerts: [alert("one"), alert("two")] },
        { ...body, alerts: [alert("one", { startsAt: "2026-11-23T09:00:00Z" })] },
      ]) {
        ids.add((await taken("alertmanager", other)).session_id);
      }
      expect(ids.size).to.equal(4);
    });

    it("stores what is resolved once, starts no session for it, and none for those that go on firing", async () => {
      const body = group([alert("one"), alert("two")]);
      const { session_id = "" } = await taken("alertmanager", body);
      const part = { ...body, alerts: [alert("one", { status: "resolved" }), alert("two")] };
      expect(await taken("alertmanager", part)).to.deep.include({ session_id, status: "known" });
      expect(await taken("alertmanager", { ...body, alerts: [alert("two")] })).to.include({ session_id });
      const over = {
        ...body,
        status: "resolved",
        alerts: body.alerts.map((one) => ({ ...one, status: "resolved" })),
      };
      for (let n = 0; n < 2; n += 1) {
        expect(await taken("alertmanager", over)).to.deep.include({ session_id, status: "known" });
      }
      expect(await notifications(session_id)).to.have.length(1);
      const unknown = await taken("alertmanager", { ...over, groupKey: randomUUID() });
      expect(unknown).to.deep.include({ session_ids: [], status: "known" });
    });

    it("shows the model the whole payload, firing alerts first, and as many as there is room for", async () => {
      const body = group([
        alert("gone", { status: "resolved" }),
        alert("bad", { labels: { alertname: "bad", note: "a\u0000b" } }),
      ]);
      const { session_id } = await taken("alertmanager", body);
      const row = JSON.stringify(await stored(session_id));
      expect(row.indexOf("f-bad")).to.be.greaterThan(0).and.to.be.lessThan(row.indexOf("f-gone"));
      expect(row).to.include("http://prometheus.example/graph");
      const large = group(
        Array.from({ length: 1_500 }, (_, n) => alert(`n${n}`, { annotations: { text: "x".repeat(1_000) } })),
      );
      const { session_id: largeId } = await taken("alertmanager", large);
      const text = JSON.stringify(await stored(largeId));
      expect(text).to.include("alertsLeftOut").and.to.include("f-n0");
    });

    it("starts a session for each alert with `split`", async () => {
      const body = group([alert("one"), alert("two"), alert("gone", { status: "resolved" })]);
      const { session_ids } = await taken("alertmanager", body, { at: split });
      expect(session_ids).to.have.length(2);
      const more = { ...body, alerts: [...body.alerts, alert("three")] };
      const { session_ids: all, status } = await taken("alertmanager", more, { at: split });
      expect(all).to.include.members(session_ids).and.to.have.length(3);
      expect(status).to.equal("queued");
    });

    it("names the field of a body that is wrong", async () => {
      for (const [body, message] of [
        ["[]", "must be a JSON object"],
        ["{", "not valid JSON"],
        [{ ...group([alert("x")]), groupKey: undefined }, "'groupKey': is required"],
        [group([]), "'alerts'"],
        [group([alert("x", { status: "odd" })]), "'alerts[0].status'"],
        [group([alert("x", { labels: { a: 1 } })]), "'alerts[0].labels.a': must be string"],
        [group([alert("x", { fingerprint: 7 })]), "'alerts[0].fingerprint': must be string"],
        [
          `{"groupKey":"g","alerts":[${JSON.stringify(alert("x"))}],"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
          "nested too deeply",
        ],
      ] as const) {
        const answer = await send("alertmanager", body);
        expect([answer.status, answer.text], message).to.satisfy(
          ([status, text]: [number, string]) => status === 400 && text.includes(message),
          answer.text,
        );
      }
    });
  });

  describe("who may send", () => {
    const body = () => group([alert("one")]);
    const basic = (password: string) => `Basic ${Buffer.from(`any:${password}`).toString("base64")}`;

    it("asks for the token, as a bearer token or a password, and in `loopback` refuses only a wrong one", async () => {
      for (const at of [api, locked]) {
        for (const authorization of [`Bearer ${TOKEN}`, basic(TOKEN)]) {
          const { session_id } = await taken("alertmanager", body(), { at, headers: { authorization } });
          expect(await stored(session_id)).to.include({ owner_subject: "webhook:alertmanager" });
        }
        for (const authorization of ["Bearer wrong", basic("wrong"), basic(`${TOKEN}x`)]) {
          const { status } = await send("alertmanager", body(), { at, headers: { authorization } });
          expect(status).to.equal(401);
        }
      }
      expect((await send("alertmanager", body(), { at: locked })).status).to.equal(401);
      expect((await send("raw", "x", { at: locked })).status).to.equal(401);
      await taken("alertmanager", body());
    });

    it("answers 503 and never 429 when there are too many", async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const answers = [];
      for (let n = 0; n < 12; n += 1) {
        answers.push(await send("alertmanager", body(), { at: locked, headers }));
      }
      const late = answers.at(-1);
      expect(late?.status).to.equal(503);
      expect(Number(late?.headers.get("retry-after"))).to.be.greaterThan(0);
      for (let n = 0; n < 40; n += 1) {
        const { status } = await send("raw", "x", { at: locked, headers: { authorization: "Bearer wrong" } });
        expect(status).to.be.oneOf([401, 503]);
      }
    });

    it("answers 404 with a sentence while a source is off", async () => {
      for (const [source, place] of [
        ["raw", "system.webhooks.raw"],
        ["pagerduty", "an entry of system.webhooks.sources with the name 'pagerduty'"],
      ] as const) {
        const answer = await send(source, {}, { at: split });
        expect(answer.status).to.equal(404);
        expect(answer.text).to.include(`add ${place} to tarsy.yaml`);
      }
    });
  });

  describe("a raw body", () => {
    it("is the alert, as it is", async () => {
      const text = await taken("raw", "disk full\non node-7", { headers: { "content-type": "text/plain" } });
      expect(await stored(text.session_id)).to.include({
        alert_data: "disk full\non node-7",
        alert_type: "test",
      });
      const json = await taken("raw", '{ "kind": "db" }');
      expect(await stored(json.session_id)).to.include({
        alert_data: '{ "kind": "db" }',
        alert_type: "database",
      });
      const asked = await taken("raw?alert_type=kubernetes", '{ "kind": "db" }');
      expect(await stored(asked.session_id)).to.include({ alert_type: "kubernetes" });
    });

    it("must be text, and not empty", async () => {
      for (const [path, body, type, message, status] of [
        ["raw", "a\0b", "application/octet-stream", "content type is 'application/octet-stream'", 415],
        ["raw", "--x\r\n", "multipart/form-data; boundary=x", "content type is 'multipart/form-data'", 415],
        ["raw", "", "text/plain", "request body is empty", 400],
        ["raw", " \n", "application/json", "request body is empty", 400],
        ["raw?alert_type=odd", "x", "text/plain", "'alert_type': no chain found", 400],
        ["raw?alert_type=a&alert_type=b", "x", "text/plain", "'alert_type': must be given once", 400],
      ] as const) {
        const answer = await send(path, body, { headers: { "content-type": type } });
        expect([answer.status, answer.text.includes(message)], answer.text).to.deep.equal([status, true]);
      }
    });
  });
});
