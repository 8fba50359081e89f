import { createHmac, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";
import { SECRET, TARSY, alert, env, group } from "./webhook-bodies.ts";

const JSON_TYPE = "application/json";
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the habits of senders of alerts", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    const { alertmanager: _token, ...webhooks } = TARSY.system.webhooks;
    const system = { webhooks: { ...webhooks, alertmanager: {} } };
    api = resources.use(await ApiFixture.start({ config: { tarsy: { ...TARSY, system } }, env }));
  });
  after(() => resources.disposeAsync());

  const send = async (
    path: string,
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = { "content-type": JSON_TYPE },
  ) => {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const answer = await api.raw("POST", `/api/v1/${path}`, { body: bytes, headers });
    return { ...answer, sessions: await countSessions() };
  };
  const countSessions = async () => {
    const [row] = await api.servers.query("SELECT count(*)::int AS n FROM alert_sessions", []);
    return Number(Reflect.get(Object(row), "n"));
  };
  /** The row of the session that an accepted body started. */
  const started = async (...request: Parameters<typeof send>) => {
    const { status, text } = await send(...request);
    expect(status, text).to.equal(202);
    const id = /"session_id":"([^"]+)"/u.exec(text)?.[1];
    const [row] = await api.servers.query(
      "SELECT alert_type, alert_data FROM alert_sessions WHERE session_id = $1",
      [id],
    );
    return {
      type: String(Reflect.get(Object(row), "alert_type")),
      data: String(Reflect.get(Object(row), "alert_data")),
    };
  };

  it("include byte order marks and other charsets, at every door", async () => {
    const marked = (text: string) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    const bodies = {
      alerts: '{"data":"Größe"}',
      "webhooks/raw": '{"title":"Größe"}',
      "webhooks/alertmanager": JSON.stringify(group([alert("Größe")])),
    };
    for (const [path, text] of Object.entries(bodies)) {
      expect((await started(path, marked(text))).data, path)
        .to.include("Größe")
        .and.not.match(/^\uFEFF/u);
      expect((await started(path, utf16(text.replaceAll("Größe", "Grüße")))).data, path).to.include("Grüße");
      const latin = Buffer.from(text.replaceAll("Größe", "Öl"), "latin1");
      for (const type of ["application/json; charset=ISO-8859-1", 'Application/JSON;charset="latin1"']) {
        const again = Buffer.from(
          latin.toString("latin1").replace(/:\{alertname="/u, `$&${type.length}`),
          "latin1",
        );
        expect((await started(path, again, { "content-type": type })).data, path).to.include("Öl");
      }
      const unknown = await send(path, text, { "content-type": "application/json; charset=klingon" });
      expect([unknown.status, unknown.text.includes("charset 'klingon' is not known")]).to.deep.equal([
        415,
        true,
      ]);
    }
    const big = Buffer.from('\uFEFF{"data":"x"}', "utf16le").swap16();
    expect((await started("alerts", big)).data).to.equal("x");
    expect(
      (await started("webhooks/raw", marked("disk full"), { "content-type": "text/plain" })).data,
    ).to.equal("disk full");
  });

  it("include compression, texts and forms of any type", async () => {
    const gzip = { "content-type": JSON_TYPE, "content-encoding": "gzip" };
    expect((await started("webhooks/raw", gzipSync('{"kind":"db"}'), gzip)).type).to.equal("database");
    const types = ["text/plain", "application/cloudevents+json", "application/octet-stream", "TEXT/JSON", ""];
    for (const type of types) {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const row = await started("webhooks/raw", '{"kind":"db"}', headers);
      expect(row, type).to.deep.equal({ type: "database", data: '{"kind":"db"}' });
      const grouped = JSON.stringify(group([alert("a")]));
      expect((await started("webhooks/alertmanager", grouped, headers)).data).to.include('"alertname": "a"');
    }
    const form = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    const payload = `payload=${encodeURIComponent('{"kind":"db","title":"a&b=c"}')}&x=1`;
    expect(await started("webhooks/raw", payload, form)).to.deep.equal({
      type: "database",
      data: '{"kind":"db","title":"a&b=c"}',
    });
    expect(JSON.parse((await started("webhooks/raw", "kind=db&text=disk+full", form)).data)).to.deep.equal({
      kind: "db",
      text: "disk full",
    });
    // What `curl --data` sends without a content type.
    expect((await started("webhooks/raw", '{"kind":"db","a":"b=c&d"}', form)).type).to.equal("database");
    expect((await started("webhooks/raw", "disk usage=93% on db & web", form)).data).to.include("usage=93%");
    // A template with a quote too many is an alert all the same.
    expect((await started("webhooks/raw", '{"title":"say "no""}')).data).to.equal('{"title":"say "no""}');
  });

  it("include envelopes, of which the payload counts at every door", async () => {
    const am = (name: string) => JSON.stringify(group([alert(name)]));
    const envelopes: Readonly<Record<string, (payload: string) => object>> = {
      "Amazon SNS": (Message) => ({
        Type: "Notification",
        MessageId: "m",
        TopicArn: "arn:aws:sns:eu-west-1:1:alarms",
        Subject: "ALARM: disk",
        Message,
        UnsubscribeURL: "https://sns.example/?Token=secret",
      }),
      "SQS of SNS": (Message) => ({
        Records: [
          { messageId: "m", body: JSON.stringify({ Type: "Notification", TopicArn: "arn:t", Message }) },
        ],
      }),
      "Pub/Sub": (text) => ({
        message: { data: base64(text), messageId: "7", attributes: { region: "eu" } },
        subscription: "projects/p/subscriptions/s",
      }),
      EventBridge: (text) => ({
        version: "0",
        "detail-type": "Alarm",
        source: "aws.x",
        detail: JSON.parse(text) as unknown,
      }),
      CloudEvents: (text) => ({
        specversion: "1.0",
        id: "1",
        type: "t",
        source: "/s",
        data: JSON.parse(text) as unknown,
      }),
      "CloudEvents in Base64": (text) => ({
        specversion: "1.0",
        id: "1",
        type: "t",
        source: "/s",
        data_base64: base64(text),
      }),
      "Event Grid": (text) => ({
        eventType: "t",
        eventTime: "2026-01-01T00:00:00Z",
        subject: "s",
        data: JSON.parse(text) as unknown,
      }),
      Splunk: (text) => ({ search_name: "s", sid: "1", result: JSON.parse(text) as unknown }),
    };
    for (const [name, wrap] of Object.entries(envelopes)) {
      const raw = await started("webhooks/raw", JSON.stringify(wrap('{"kind":"db","password":"Env1pw"}')), {
        "content-type": "text/plain; charset=UTF-8",
      });
      expect(raw.type, name).to.equal("database");
      // The members are readable, so masking knows them.
      expect(raw.data, name)
        .to.match(/"kind": ?"db"/u)
        .and.not.include("Env1pw")
        .and.not.include("UnsubscribeURL");
      const grouped = await started("webhooks/alertmanager", JSON.stringify(wrap(am(name))));
      expect(grouped.data, name).to.include(`"alertname": "${name}"`);
      const submitted = await started(
        "alerts",
        JSON.stringify(wrap('{"data":"disk full","alert_type":"database"}')),
      );
      expect(submitted, name).to.deep.equal({ data: "disk full", type: "database" });
    }
    const digits = '{"id":12345678901234567890,"kind":"db"}';
    const pushed = await started("webhooks/raw", JSON.stringify(envelopes["Pub/Sub"]?.(digits)));
    expect(pushed.data).to.include("12345678901234567890").and.include("projects/p/subscriptions/s");
    const text = await started(
      "webhooks/raw",
      JSON.stringify(envelopes["Amazon SNS"]?.("disk full\non db-1")),
    );
    expect(JSON.parse(text.data)).to.deep.include({ Subject: "ALARM: disk", Message: "disk full\non db-1" });
  });

  it("include handshakes and tests, which are answered and start nothing", async () => {
    const before = await countSessions();
    const signed = (body: object) => {
      const bytes = JSON.stringify(body);
      const signature = createHmac("sha256", SECRET).update(bytes).digest("hex");
      return send("webhooks/pagerduty", bytes, { "x-pagerduty-signature": `v1=${signature}` });
    };
    const slack = { type: "url_verification", token: "t", challenge: "abc" };
    const grid = [
      {
        eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
        eventTime: "2026-01-01T00:00:00Z",
        data: { validationCode: "512d38b6", validationUrl: "https://rp.example/validate" },
      },
    ];
    const grafana = group([
      { ...alert("TestAlert"), labels: { alertname: "TestAlert", instance: "Grafana" } },
    ]);
    const datadog = { title: "[TEST] disk", event_type: "x", last_updated: "1", org: { id: "1" }, body: "" };
    // Of the payload that our documentation prints.
    const ours = {
      title: "[TEST] [Triggered] disk",
      aggreg_key: "a",
      cycle_key: "b",
      transition: "Triggered",
    };
    const ping = { event: { id: randomUUID(), event_type: "pagey.ping", data: { message: "hello" } } };
    for (const path of ["webhooks/raw", "webhooks/alertmanager"]) {
      expect(JSON.parse((await send(path, JSON.stringify(slack))).text)).to.deep.equal({ challenge: "abc" });
      expect(JSON.parse((await send(path, JSON.stringify(grid))).text)).to.deep.equal({
        validationResponse: "512d38b6",
      });
      for (const test of [grafana, datadog, ours, ping]) {
        expect(await send(path, JSON.stringify(test))).to.include({ status: 200, sessions: before });
      }
      for (const Type of ["SubscriptionConfirmation", "UnsubscribeConfirmation"]) {
        const body = {
          Type,
          Token: "2336token",
          TopicArn: "arn:aws:sns:t",
          Message: "You…",
          SubscribeURL: "https://s/?Token=2336token",
        };
        const answer = await send(path, JSON.stringify(body), {
          "content-type": "text/plain; charset=UTF-8",
        });
        expect(answer).to.include({ status: 400, sessions: before });
        expect(answer.text)
          .to.include("aws sns confirm-subscription --topic-arn arn:aws:sns:t")
          .and.not.include("2336");
      }
    }
    expect(await signed(ping)).to.include({ status: 200, sessions: before });
    for (const source of ["raw", "alertmanager", "pagerduty"]) {
      const path = `/api/v1/webhooks/${source}`;
      const probe = await api.raw("GET", path);
      expect([probe.status, probe.text.includes("with POST")]).to.deep.equal([200, true]);
      expect(await api.raw("HEAD", path)).to.include({ status: 200 });
      const options = await api.raw("OPTIONS", path, {
        headers: { "webhook-request-origin": "eventemitter.example.com" },
      });
      expect(options.status).to.equal(200);
      expect(options.headers.get("webhook-allowed-origin")).to.equal("eventemitter.example.com");
    }
    expect(await countSessions()).to.equal(before);
  });

  it("include addresses with a slash too many, which are no redirects", async () => {
    const headers = { "content-type": JSON_TYPE };
    for (const path of [
      "/api/v1/alerts/",
      "//api//v1/alerts",
      "/api/v1/webhooks/raw/",
      "/api/v1//webhooks/raw?a=//",
    ]) {
      const answer = await api.raw("POST", path, { body: Buffer.from('{"data":"x"}'), headers });
      expect([answer.status, answer.text.includes("session_id")], path).to.deep.equal([202, true]);
    }
  });

  it("include alerts without fingerprints, which their labels tell apart", async () => {
    const bare = (name: string) => {
      const { fingerprint: _none, ...rest } = alert(name);
      return rest;
    };
    const body = group([bare("one"), bare("two")]);
    const first = await send("webhooks/alertmanager", JSON.stringify(body));
    expect(first.status, first.text).to.equal(202);
    const again = {
      ...body,
      alerts: [bare("two"), { ...bare("one"), labels: { team: "db", alertname: "one" } }],
    };
    expect(await send("webhooks/alertmanager", JSON.stringify(again))).to.include({
      sessions: first.sessions,
    });
    const more = { ...body, alerts: [...body.alerts, bare("three")] };
    expect(await send("webhooks/alertmanager", JSON.stringify(more))).to.include({
      sessions: first.sessions + 1,
    });
  });
});
