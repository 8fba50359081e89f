import { createHmac, createSign, randomUUID } from "node:crypto";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { makeCertificate } from "../../../test/support/https-host.ts";
import { WebhookServer } from "../../../test/support/webhook-server.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { ApiFixture } from "./api-fixture.ts";
import { SOURCE_BODIES } from "./source-bodies.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseAnswer = compileParser("webhook response", WebhookResponse);
const SECRET = "the-secret-of-the-source-0123456789";
const TOPIC = "arn:aws:sns:eu-west-1:123456789012:alarms";
const PRESETS = Object.entries(SOURCE_BODIES);
const hmac = (text: string, secret: string) => createHmac("sha256", secret).update(text).digest("hex");

const own = (preset: string) => ({
  preset,
  verify: preset === "cloudwatch" ? { topics: [TOPIC] } : { secret_env: "SOURCE_SECRET" },
});
const sources = [
  ...PRESETS.map(([preset, { matcher }]) => ({
    ...own(preset),
    alert_types: [{ match: [matcher], alert_type: "database" }],
  })),
  ...PRESETS.map(([preset]) => ({ ...own(preset), name: `${preset}-grouped`, grouping: {} })),
];

describe("system.webhooks.sources", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let sns: WebhookServer;
  let signer: Awaited<ReturnType<typeof makeCertificate>>;

  before(async () => {
    sns = resources.use(await WebhookServer.open());
    signer = await makeCertificate(["sns.example.com"]);
    const tarsy = { ...TARSY, system: { webhooks: { sources } } };
    const snsOrigin = () => new URL(sns.url).origin;
    api = resources.use(
      await ApiFixture.start({ config: { tarsy }, env: { SOURCE_SECRET: SECRET }, snsOrigin }),
    );
  });
  after(() => resources.disposeAsync());

  const post = async (source: string, text: string, headers: Record<string, string> = {}) => {
    const path = `/api/v1/webhooks/${source}`;
    return api.raw("POST", path, {
      body: Buffer.from(text),
      headers: { "content-type": "application/json", ...headers },
    });
  };
  const notification = (message: string, more: Record<string, string> = {}) => {
    const fields: Record<string, string> = {
      Type: "Notification",
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Subject: "ALARM: checkout-5xx",
      Message: message,
      Timestamp: new Date().toISOString(),
      ...more,
    };
    const version = more["SignatureVersion"] ?? "2";
    const names =
      fields["Type"] === "Notification"
        ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
        : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
    const sign = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256");
    for (const name of names) sign.update(`${name}\n${fields[name] ?? ""}\n`);
    return {
      SignatureVersion: version,
      Signature: sign.sign(signer.key, "base64"),
      SigningCertURL: `${new URL(sns.url).origin}/SimpleNotificationService-7ff5318490ec183fbaddaa2a969abfda.pem`,
      ...fields,
    };
  };
  /** Answers the next request for a certificate, if one comes. */
  const sendSns = async (body: object, source = "cloudwatch") =>
    post(source, JSON.stringify(body), { "content-type": "text/plain; charset=UTF-8" });
  const signed = async (source: string, text: string, secret = SECRET) => {
    const [preset = ""] = source.split("-");
    const headers: Readonly<Record<string, Record<string, string>>> = {
      grafana: { "X-Grafana-Alerting-Signature": hmac(text, secret) },
      pagerduty: { "X-PagerDuty-Signature": `v1=${"0".repeat(64)},v1=${hmac(text, secret)}` },
      sentry: { "Sentry-Hook-Signature": hmac(text, secret) },
    };
    if (preset === "cloudwatch") {
      const body = notification(text);
      return sendSns(secret === SECRET ? body : { ...body, Message: `${text} ` }, source);
    }
    return post(source, text, headers[preset] ?? { "X-Tarsy-Token": secret });
  };
  const taken = async (source: string, body: object) => {
    const { status, text } = await signed(source, JSON.stringify(body));
    expect(status, text).to.equal(202);
    return parseAnswer(JSON.parse(text));
  };
  const countSessions = async () => {
    const [row] = await api.servers.query("SELECT count(*)::int AS n FROM alert_sessions", []);
    return Number(Reflect.get(Object(row), "n"));
  };
  const stored = async (source: string) =>
    api.servers.query("SELECT body FROM alert_notifications WHERE source = $1", [source]);

  before(async () => {
    sns.answer({ status: 200, body: signer.cert });
    expect((await signed("cloudwatch", "{}")).status).to.equal(400);
    expect(sns.received.map(({ path }) => path)).to.deep.equal([
      "/SimpleNotificationService-7ff5318490ec183fbaddaa2a969abfda.pem",
    ]);
  });

  for (const [preset, bodies] of PRESETS) {
    it(`${preset}: starts one session when an incident begins, and stores the rest`, async () => {
      const n = `n${randomUUID()}`;
      const first = await taken(preset, bodies.begins(n));
      expect(first.status).to.equal("queued");
      const { session_id = "" } = first;
      expect(await taken(preset, bodies.begins(n))).to.include({ session_id, status: "known" });
      if ("again" in bodies) expect(await taken(preset, bodies.again(n))).to.include({ session_id });
      expect(await taken(preset, bodies.begins(`${n}-2`))).to.include({ status: "queued" });
      const row = await api.sessionRow("alert_type, author, owner_subject, alert_data", session_id);
      const data = String(Reflect.get(Object(row), "alert_data"));
      expect(row).to.include({ alert_type: "database", author: preset, owner_subject: `webhook:${preset}` });
      expect([JSON.parse(data), data.split("\n")[1]?.slice(0, 3)]).to.deep.equal([bodies.begins(n), '  "']);
      const before = await countSessions();
      const rest = [bodies.over(n), ...("others" in bodies ? bodies.others(n) : [])];
      for (const body of [...rest, ...rest]) {
        expect(await taken(preset, body), JSON.stringify(body)).to.include({ status: "known" });
      }
      expect(await stored(preset)).to.have.length(rest.length);
      expect(await countSessions()).to.equal(before);
    });

    it(`${preset}: ends the incident of a group`, async () => {
      const source = `${preset}-grouped`;
      const n = `n${randomUUID()}`;
      const { session_id } = await taken(source, bodies.begins(n));
      expect(await taken(source, bodies.over(n))).to.include({ session_id, status: "linked" });
    });

    it(`${preset}: refuses what is not signed, not its own or malformed`, async () => {
      const before = await countSessions();
      const body = JSON.stringify(bodies.begins(randomUUID()));
      expect((await signed(preset, body, `${SECRET}x`)).status).to.equal(401);
      for (const [text, why] of [
        ["{", /not valid JSON|is required|incident/u],
        ["{}", /is required|must be the id of the incident/u],
        ["[1]", /must be a JSON object/u],
        [`{"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /nested too deeply|id of the incident/u],
      ] as const) {
        const answer = await signed(preset, text);
        expect([answer.status, answer.text], answer.text)
          .to.have.property("0", 400)
          .and.satisfy(() => why.test(answer.text));
      }
      expect(await countSessions()).to.equal(before);
    });
  }

  it("sentry: takes an issue and a metric alert of the same id for two incidents", async () => {
    const { action, ...issue } = SOURCE_BODIES.sentry.over(randomUUID());
    const metric_alert = {
      id: issue.data.issue.id,
      date_started: "2026-11-29T06:00:00Z",
      projects: ["shop"],
    };
    const metric = { ...issue, action: "critical", data: { metric_alert } };
    expect(action).to.equal("resolved");
    const first = await taken("sentry", { ...issue, action: "created" });
    const second = await taken("sentry", metric);
    expect([first.status, second.status]).to.deep.equal(["queued", "queued"]);
    expect(await taken("sentry", { ...metric, action: "warning" })).to.include({
      session_id: second.session_id,
    });
  });

  it("take bodies up to the limits of the other doors", async () => {
    const of = (characters: number) => ({
      ...SOURCE_BODIES.zabbix.begins(randomUUID()),
      text: "x".repeat(characters),
    });
    expect(await taken("zabbix", of(70_000))).to.include({ status: "queued" });
    expect((await signed("zabbix", JSON.stringify(of(1_048_576)))).status).to.equal(413);
    expect((await signed("zabbix", JSON.stringify(of(8 * 1024 * 1024)))).status).to.equal(413);
  });

  describe("Amazon SNS", () => {
    const confirmation = (more: Record<string, string> = {}) =>
      notification("You have chosen to subscribe to the topic", {
        Type: "SubscriptionConfirmation",
        Token: "2336412f37f",
        SubscribeURL: `${new URL(sns.url).origin}/?Action=ConfirmSubscription&Token=2336412f37f`,
        ...more,
      });

    it("is confirmed at its own address alone, and asked again if it does not answer", async () => {
      const asked = sns.received.length;
      sns.answer({ status: 500 });
      expect((await sendSns(confirmation())).status).to.equal(503);
      sns.answer({ status: 200, body: "<ConfirmSubscriptionResponse/>" });
      const confirmed = await sendSns(confirmation());
      expect([confirmed.status, confirmed.text]).to.deep.equal([200, '{"message":"Subscription confirmed"}']);
      expect(sns.received.slice(asked).map(({ path }) => path)).to.deep.equal([
        "/?Action=ConfirmSubscription&Token=2336412f37f",
        "/?Action=ConfirmSubscription&Token=2336412f37f",
      ]);
      for (const SubscribeURL of [
        "http://169.254.169.254/latest",
        "https://sns.eu-west-1.example.com/",
        "x",
      ]) {
        expect((await sendSns(confirmation({ SubscribeURL }))).status, SubscribeURL).to.equal(401);
      }
      const left = await sendSns(confirmation({ Type: "UnsubscribeConfirmation" }));
      expect(left.text).to.equal('{"message":"Unsubscribed"}');
      expect(sns.received).to.have.length(asked + 2);
    });

    it("is asked once for the certificate of 200 notifications that come at once", async () => {
      const asked = sns.received.length;
      sns.answer({ status: 200, body: signer.cert });
      const SigningCertURL = `${new URL(sns.url).origin}/SimpleNotificationService-3.pem`;
      const answers = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const body = JSON.stringify(SOURCE_BODIES.cloudwatch.begins(randomUUID()));
          return sendSns({ ...notification(body), SigningCertURL });
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]));
      expect(sns.received).to.have.length(asked + 1);
    });

    it("signs in both versions, for the topics of the source, and not long ago", async () => {
      const alarm = () => JSON.stringify(SOURCE_BODIES.cloudwatch.begins(randomUUID()));
      expect((await sendSns(notification(alarm(), { SignatureVersion: "1" }))).status).to.equal(202);
      const { origin } = new URL(sns.url);
      const asked = sns.received.length;
      for (const more of [
        { TopicArn: `${TOPIC}2` },
        { Timestamp: new Date(Date.now() - 61 * 60_000).toISOString() },
        { SignatureVersion: "3" },
        { SigningCertURL: "https://sns.eu-west-1.amazonaws.com.example.com/SimpleNotificationService-1.pem" },
        { SigningCertURL: `${origin}/?Action=Publish&x=/SimpleNotificationService-1.pem` },
        { SigningCertURL: `${origin.replace("//", "//user@")}/SimpleNotificationService-1.pem` },
        { Signature: "AAAA" },
      ]) {
        const answer = await sendSns({ ...notification(alarm()), ...notification(alarm(), more), ...more });
        expect(answer.status, JSON.stringify(more)).to.equal(401);
      }
      expect(sns.received).to.have.length(asked);
      sns.answer({ status: 200, body: "no certificate" });
      const SigningCertURL = `${origin}/SimpleNotificationService-2.pem`;
      expect((await sendSns({ ...notification(alarm()), SigningCertURL })).status).to.equal(401);
      // What was no certificate is not kept.
      sns.answer({ status: 200, body: signer.cert });
      expect((await sendSns({ ...notification(alarm()), SigningCertURL })).status).to.equal(202);
    });
  });

  it("do not let the api start without their secret", async () => {
    const tarsy = { ...TARSY, system: { webhooks: { sources: [own("sentry")] } } };
    const { servers } = api;
    for (const [env, why] of [
      [{}, "environment variable SOURCE_SECRET is not set: system.webhooks in tarsy.yaml"],
      [{ SOURCE_SECRET: "short" }, "is shorter than 16 characters"],
    ] as const) {
      const error = await ApiFixture.start({ servers, config: { tarsy }, env }).then(
        () => undefined,
        (thrown: unknown) => String(thrown),
      );
      expect(error).to.include(why);
    }
  });
});
