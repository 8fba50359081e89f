import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookMessage } from "#shared/contracts/webhook-message.ts";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";
import { expect } from "chai";
import { Outbound, parseRetryAfter } from "../notifications/http/outbound.ts";
import { signWebhook } from "../notifications/webhook/deliver-webhook.ts";
import { NotificationsFixture, PAGE_URL, WEBHOOK_SECRET } from "./notifications-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { isSigned, type ReceivedWebhook } from "../../../test/support/webhook-server.ts";

const parseMessage = compileParser("webhook", WebhookMessage);
const messageOf = ({ body }: ReceivedWebhook) => parseMessage(JSON.parse(body));

describe("webhooks to other systems", () => {
  let fixture: NotificationsFixture;

  beforeEach(async () => {
    fixture = await NotificationsFixture.start({
      slack: false,
      events: ["session.started", "session.ended", "approval.requested"],
    });
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const ended = async () => {
    const id = await fixture.submit();
    await fixture.begin(id);
    await fixture.end(id);
    return id;
  };
  const state = async (id: string) => (await fixture.rows(id)).map((row) => row.state).join(" ");
  const untilState = async (id: string, wanted: string) =>
    until(`the rows are ${wanted}`, async () => (await state(id)) === wanted);

  it("tell of the start and the end in this order, signed, as the contract says", async () => {
    const id = await ended();
    fixture.send();
    await untilState(id, "sent sent");
    const [start, end] = fixture.received(id);
    if (start === undefined || end === undefined) throw new Error("not received");
    expect(fixture.received(id)).to.have.length(2);
    for (const one of [start, end]) expect(isSigned(one, WEBHOOK_SECRET)).to.equal(true);
    const tampered = { ...end, body: end.body.replace("completed", "cancelled") };
    expect(isSigned(tampered, WEBHOOK_SECRET)).to.equal(false);
    expect(messageOf(start)).to.deep.include({ type: "session.started", version: 1 });
    expect(messageOf(start).data.session).to.include({ id, status: "in_progress", final_analysis: null });
    expect(messageOf(end).type).to.equal("session.ended");
    expect(messageOf(end).data.session).to.include({
      id,
      status: "completed",
      final_analysis: "the disk is full",
      final_analysis_complete: true,
      url: `${PAGE_URL}/sessions/${id}`,
      alert_type: "test",
    });
    expect(end.headers["webhook-id"]).to.equal(`session-ended:${id}:webhook:ops`);
    expect(end.headers["content-type"]).to.equal("application/json");
    expect(Math.abs(Number(end.headers["webhook-timestamp"]) - Date.now() / 1_000)).to.be.lessThan(300);
  });

  it("are repeated with the same id after a 500, a broken connection and a 429, and stop with the first 2xx", async () => {
    const id = await ended();
    fixture.hook.answer({ status: 200 }, { status: 500, body: "oops" }, "cut", { status: 429 });
    fixture.send();
    await until("all is sent", async () => {
      await fixture.hurry();
      return (await state(id)) === "sent sent";
    });
    const ids = fixture.received(id).map(({ headers }) => String(headers["webhook-id"]));
    expect(ids).to.have.length(5);
    expect(new Set(ids.slice(1)).size).to.equal(1);
    const [, row] = await fixture.rows(id);
    expect(row).to.include({ attempts: 4, last_error: null, lease_token: null });
  });

  it("wait as long as Retry-After says, also those of other sessions", async () => {
    const first = await fixture.submit();
    await fixture.begin(first);
    fixture.hook.answer({ status: 429, headers: { "retry-after": "2" } });
    fixture.send();
    await until("it was refused", async () => (await fixture.rows(first))[0]?.last_error === "status 429");
    const second = await ended();
    await untilState(first, "sent");
    await untilState(second, "sent sent");
    const [refused, ...later] = fixture.hook.received.map(({ atMs }) => atMs);
    expect(later).to.have.length(3);
    for (const atMs of later) expect(atMs - (refused ?? 0)).to.be.at.least(1_990);
    const waits = await fixture.api.servers.query(
      "SELECT failures, failing_since FROM notification_destinations",
      [],
    );
    expect(waits).to.deep.equal([{ failures: 0, failing_since: null }]);
  });

  it("are put off as far as Retry-After says, also if another one is taken meanwhile", async () => {
    const failures = async () => fixture.api.db.query("SELECT failures FROM notification_destinations");
    const limited = { status: 503, headers: { "retry-after": "1800" } };
    const counted = async () => until("the failure counts", async () => (await failures()).length === 1);
    fixture.hook.answer(limited, { status: 204, when: counted });
    for (const id of [await fixture.submit(), await fixture.submit()]) await fixture.begin(id);
    const { stop } = fixture.send();
    await until("one is sent", async () => {
      const sent = await fixture.api.db.query("SELECT 1 FROM outbox WHERE state = 'sent'");
      return sent.length === 1;
    });
    await stop();
    const inRange = "BETWEEN now() + interval '29 min' AND now() + interval '34 min'";
    expect(
      await fixture.api.db.query(
        `SELECT d.failures, d.not_before ${inRange} AS destination, o.not_before ${inRange} AS row
         FROM notification_destinations d JOIN outbox o USING (destination) WHERE o.state = 'pending'`,
      ),
    ).to.deep.equal([{ failures: 1, destination: true, row: true }]);
  });

  it("wait for the earlier ones of their session, and for no other's", async () => {
    const [held, other] = [await fixture.submit(), await fixture.submit()];
    await fixture.begin(held);
    fixture.hook.answer({ status: 500 });
    fixture.send();
    await until(
      "the start has failed",
      async () => (await fixture.rows(held))[0]?.last_error === "status 500",
    );
    await fixture.api.db.query("UPDATE outbox SET not_before = now() + interval '1 h'");
    await fixture.end(held);
    await fixture.begin(other);
    await fixture.end(other);
    await untilState(other, "sent sent");
    expect(await state(held)).to.equal("pending pending");
    expect(fixture.received(held)).to.have.length(1);
    await fixture.hurry();
    await untilState(held, "sent sent");
    expect(fixture.received(held).map((one) => messageOf(one).type)).to.deep.equal([
      "session.started",
      "session.started",
      "session.ended",
    ]);
  });

  for (const [status, headers] of [
    [400, {}],
    [404, {}],
    [302, { location: "http://127.0.0.1:1/elsewhere" }],
  ] as const) {
    it(`are given up after a ${status}, with the reason, and no redirect is followed`, async () => {
      const id = await fixture.submit();
      await fixture.begin(id);
      fixture.hook.answer({ status, headers, body: "no\r\nsuch \u001b[31mhook" });
      fixture.send();
      await untilState(id, "dead");
      expect(fixture.received(id)).to.have.length(1);
      const [row] = await fixture.rows(id);
      expect(row?.last_error).to.match(new RegExp(`^status ${status}: `, "u"));
      expect(row?.last_error).not.to.match(/\p{Cc}/u);
    });
  }

  it("stop with a 410: nothing more is sent to this address", async () => {
    const first = await fixture.submit();
    await fixture.begin(first);
    fixture.hook.answer({ status: 410 });
    const { stop } = fixture.send();
    await untilState(first, "dead");
    const second = await fixture.submit();
    await fixture.begin(second);
    await stop();
    const again = fixture.send();
    await again.stop();
    expect(await state(second)).to.equal("pending");
    expect(fixture.received(second)).to.deep.equal([]);
    await fixture.api.servers.query("UPDATE notification_destinations SET stopped_address = 'another'", []);
    fixture.send();
    await untilState(second, "sent");
  });

  it("are given up after the last attempt", async () => {
    const id = await fixture.submit();
    await fixture.begin(id);
    await fixture.api.servers.query("UPDATE outbox SET attempts = 249 WHERE session_id = $1", [id]);
    fixture.hook.answer({ status: 500 });
    fixture.send();
    await untilState(id, "dead");
    expect((await fixture.rows(id))[0]).to.include({ attempts: 250, last_error: "status 500" });
  });

  it("are sent once each by two apis", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1) ids.push(await ended());
    const senders = [fixture.send(), fixture.send()];
    await until("all is sent", async () => {
      const [row] = await fixture.api.servers.query(
        "SELECT count(*)::int AS n FROM outbox WHERE state = 'sent'",
        [],
      );
      return JSON.stringify(row) === '{"n":200}';
    });
    await Promise.all(senders.map(async ({ stop }) => stop()));
    expect(fixture.hook.received).to.have.length(200);
    expect(new Set(fixture.hook.received.map(({ headers }) => headers["webhook-id"])).size).to.equal(200);
    for (const id of ids) {
      expect(fixture.received(id).map((one) => messageOf(one).type)).to.deep.equal([
        "session.started",
        "session.ended",
      ]);
    }
  });

  it("are signed as in the example of the specification's libraries, and read Retry-After in both forms", () => {
    const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
    const body = '{"test": 2432232314}';
    const signed = signWebhook({ id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body, secret }, 1_614_265_330_000);
    expect(signed["webhook-signature"]).to.equal("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    expect(parseRetryAfter("7")).to.equal(7_000);
    expect(parseRetryAfter("Wed, 25 Nov 2026 12:00:10 GMT", Date.UTC(2026, 10, 25, 12))).to.equal(10_000);
    for (const none of [null, "", "soon", "-1"]) expect(parseRetryAfter(none)).to.equal(undefined);
  });

  it("go to no metadata address, also behind a name, and read only the beginning of a response", async () => {
    await using refused = new Outbound({
      resolve: () => Promise.resolve([{ address: "169.254.169.254", family: 4 }]),
    });
    const request = { method: "POST", headers: {}, body: "{}", timeoutMs: 1_000, maxBytes: 100 } as const;
    const { signal } = new AbortController();
    for (const url of ["http://receiver.example/", "http://169.254.169.254/latest", "http://[fe80::1]/"]) {
      const error: unknown = await refused
        .send(new URL(url), request, signal)
        .catch((thrown: unknown) => thrown);
      expect(String(error), url).to.match(/is not allowed/u);
    }
    await using outbound = new Outbound();
    fixture.hook.answer({ status: 200, body: "x".repeat(5_000_000) });
    const { text } = await outbound.send(new URL(fixture.hook.url), request, signal);
    expect(text).to.equal("x".repeat(100));
  });

  it("know metadata addresses in every notation", () => {
    for (const address of [
      "169.254.169.254",
      "[fe80::1]",
      "fe80::1%eth0",
      "169.254.170.23",
      "168.63.129.16",
      "192.0.0.192",
      "100.100.100.200",
      "fd00:ec2::254",
      "fd00:ec2::23",
      "fd00:ec2::fd",
      "fd20:ce::254",
      "fd00:42::42",
      "::ffff:169.254.169.254",
      "[::ffff:a9fe:a9fe]",
      "::169.254.169.254",
      "::ffff:0:169.254.169.254",
      "64:ff9b::a9fe:a9fe",
      "64:ff9b::c000:c0",
      "64:ff9b:1::a9fe:a9fe",
      "64:ff9b:1:a9fe:a9:fe00::",
      "64:ff9b:1:a9:fe:a9fe::",
      "64:ff9b:1:0:a9:fea9:fe00::",
      "2002:a9fe:a9fe::1",
      "2002:a83f:8110::",
      "2001:0:a9fe:a9fe::1",
      "2001:0:1::5601:5601",
      "2001:db8::5efe:a9fe:a9fe",
    ]) {
      expect(isMetadataAddress(address), address).to.equal(true);
    }
    for (const address of [
      "10.0.0.1",
      "127.0.0.1",
      "::1",
      "::",
      "8.8.8.8",
      "192.0.1.192",
      "fd00:ec3::23",
      "fd12:3456::1",
      "2606:50c0:8000::154",
      "::ffff:10.0.0.1",
      "64:ff9b::808:808",
      "64:ff9b:1::808:808",
      "2002:808:808::1",
      "receiver.example",
      "fd00:ec2::23.example",
    ]) {
      expect(isMetadataAddress(address), address).to.equal(false);
    }
  });
});
