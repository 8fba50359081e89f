import { once } from "node:events";
import { connect } from "node:net";
import { deflateRawSync } from "node:zlib";
import { expect } from "chai";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import { tryHandshake } from "./try-handshake.ts";

const SOME_ID = "0a7a6b6e-7a53-4b2c-9c11-0d6f5d3c2b1a";

describe("notifier: client messages and limits", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    // For a client to read the reason before its socket is destroyed.
    ({ url } = await fixture.notifier({ floodGraceMs: 60_000 }));
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const badMessages: readonly (readonly [unknown, string | RegExp])[] = [
    [
      `{"action":${"[".repeat(5_000)}`,
      /^the message is nested too deeply: JSON may be nested 100 levels deep/u,
    ],
    ["{", /^the message is not valid JSON \(.*\): send a JSON object$/u],
    ["[1]", 'the message must be a JSON object such as {"action":"subscribe","channel":"sessions"}'],
    [{}, "action is required: use subscribe, unsubscribe, catchup or ping"],
    [{ action: "shout" }, 'action "shout" is unknown: use subscribe, unsubscribe, catchup or ping'],
    [{ action: "subscribe" }, "channel is required for subscribe"],
    [{ action: "unsubscribe", channel: "" }, "channel is required for unsubscribe"],
    [{ action: "catchup", last_event_id: 1 }, "channel is required for catchup"],
    [
      { action: "subscribe", channel: "session:*" },
      'channel "session:*" is unknown: use session:<session id, a UUID> or sessions',
    ],
    [{ action: "catchup", channel: `session:${SOME_ID}` }, "last_event_id is required for catchup"],
    [
      { action: "catchup", channel: `session:${SOME_ID}`, last_event_id: "7" },
      "last_event_id must be a whole number from 0 to 9007199254740991",
    ],
    [
      { action: "subscribe", channel: `session:${SOME_ID}`, after_seq: -1 },
      "after_seq must be a whole number from 0 to 2147483647",
    ],
    [
      { action: "subscribe", channel: "sessions", after_seq: 1 },
      "channel sessions is live only: subscribe without after_seq and last_event_id",
    ],
  ];
  for (const [message, sentence] of badMessages) {
    it(`answers ${JSON.stringify(message)} with an error`, async () => {
      using client = await TestClient.connect(url);
      client.send(message);
      client.send({ action: "ping" });
      await client.until(() => client.of("pong").length === 1);
      expect(client.of("error")).to.have.length(1);
      const answer = expect(client.of("error")[0]?.["message"]);
      if (typeof sentence === "string") answer.to.equal(sentence);
      else answer.to.match(sentence);
    });
  }

  it("answers a binary message with an error", async () => {
    using client = await TestClient.connect(url);
    client.socket.send(Buffer.from('{"action":"ping"}'), { binary: true });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")[0]?.["message"]).to.equal("the message is binary: send JSON as text");
  });

  it("accepts ids in upper case and repeats the channel as the client spelled it", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    const channel = `session:${session.id.toUpperCase()}`;
    expect(await client.subscribe(channel)).to.include({ channel });
    await session.emit(session.status());
    await client.untilSeq(1);
  });

  it("rejects one subscription too many and accepts it after another has ended", async () => {
    const limited = await fixture.notifier({ maxSubscriptions: 2 });
    const sessions = [await fixture.newSession(), await fixture.newSession(), await fixture.newSession()];
    const [a, b, c] = sessions.map(({ id }) => `session:${id}`);
    using client = await TestClient.connect(limited.url);
    await client.subscribe(a ?? "");
    await client.subscribe(b ?? "");
    client.send({ action: "subscribe", channel: c });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")[0]?.["message"]).to.equal(
      "a connection can have 2 subscriptions: unsubscribe from one or open another connection",
    );
    client.send({ action: "unsubscribe", channel: a });
    await client.subscribe(c ?? "");
    await limited.stop();
  });

  it("closes a connection whose message is larger than 16 KiB with 1009", async () => {
    using client = await TestClient.connect(url);
    client.send({ action: "ping", padding: "x".repeat(16 * 1024) });
    expect((await client.closed).code).to.equal(1009);
  });

  it("closes a connection whose message has too many fragments with 1008", async () => {
    using client = await TestClient.connect(url);
    for (let n = 0; n < 200; n += 1) client.socket.send(" ", { fin: false, binary: false });
    expect((await client.closed).code).to.equal(1008);
  });

  it("closes a connection whose fragments together are too large with 1009", async () => {
    using client = await TestClient.connect(url);
    for (let n = 0; n < 60; n += 1) client.socket.send(" ".repeat(300), { fin: false, binary: false });
    expect((await client.closed).code).to.equal(1009);
  });

  it("accepts a message in a few fragments", async () => {
    using client = await TestClient.connect(url);
    client.socket.send('{"action":', { fin: false, binary: false });
    client.socket.send('"ping"}', { fin: true, binary: false });
    await client.until(() => client.of("pong").length === 1);
  });

  it("negotiates no compression and closes a connection that compresses with 1002", async () => {
    using client = await TestClient.connect(url, { perMessageDeflate: true });
    expect(client.socket.extensions).to.equal("");
    const { port } = new URL(url);
    const raw = connect(Number(port), "127.0.0.1");
    raw.write(
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    );
    await once(raw, "data");
    // A masked text frame with RSV1 set: 16 KiB of zeros, deflated.
    const bomb = deflateRawSync(Buffer.alloc(16_384));
    raw.write(Buffer.concat([Buffer.from([0xc1, 0x80 | bomb.length, 0, 0, 0, 0]), bomb]));
    let answer = "";
    raw.setEncoding("latin1").on("data", (text: string) => (answer += text));
    await once(raw, "close");
    expect(answer).to.include("\u0088\u0002\u0003\u00ea");
  });

  it("closes a connection that floods it with 1008", async () => {
    using client = await TestClient.connect(url);
    for (let n = 0; n < 1_000; n += 1) client.send({ action: "ping" });
    expect(await client.closed).to.deep.equal({
      code: 1008,
      reason: "too many messages: send at most 20 a second",
    });
  });

  it("answers no more of a flood than it accepts at once", async () => {
    const strict = await fixture.notifier({
      messageBurst: 60,
      messagesPerSecond: 0.001,
      floodGraceMs: 60_000,
    });
    using client = await TestClient.connect(strict.url);
    for (let n = 0; n < 1_000; n += 1) client.send({ action: "ping" });
    expect((await client.closed).code).to.equal(1008);
    expect(client.of("pong")).to.have.length(60);
    await strict.stop();
  });

  it("closes a connection that floods it with pings of the protocol", async () => {
    using client = await TestClient.connect(url);
    for (let n = 0; n < 1_000; n += 1) client.socket.ping();
    expect((await client.closed).code).to.equal(1008);
  });

  it("closes a connection that floods it with answers to pings that were never sent", async () => {
    using client = await TestClient.connect(url);
    for (let n = 0; n < 1_000; n += 1) client.socket.pong();
    expect((await client.closed).code).to.equal(1008);
  });

  it("rejects connections above the limit with 503", async () => {
    const small = await fixture.notifier({ maxConnections: 1 });
    using _ = await TestClient.connect(small.url);
    expect(await tryHandshake(small.url)).to.equal(503);
    await small.stop();
  });

  it("drops a handshake that is not finished in time", async () => {
    const hasty = await fixture.notifier({ handshakeTimeoutMs: 200 });
    const { port } = new URL(hasty.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET /ws HTTP/1.1\r\nHost: localhost\r\n");
    socket.resume();
    await once(socket, "close");
    await hasty.stop();
  });

  it("disconnects peers that answer no ping", async () => {
    const strict = await fixture.notifier({ heartbeatMs: 1_000 });
    using dead = await TestClient.connect(strict.url, { autoPong: false });
    using alive = await TestClient.connect(strict.url);
    expect((await dead.closed).code).to.equal(1006);
    alive.send({ action: "ping" });
    await alive.until(() => alive.of("pong").length === 1);
    await strict.stop();
  });

  it("closes clients with 1001 when it stops", async () => {
    const stopping = await fixture.notifier();
    using client = await TestClient.connect(stopping.url);
    using other = await TestClient.connect(stopping.url.replace("/ws", "/api/v1/ws"));
    await stopping.stop();
    expect(await client.closed).to.deep.equal({
      code: 1001,
      reason: "the server is stopping: reconnect and subscribe with after_seq = your last seq",
    });
    expect(await other.closed).to.deep.equal({
      code: 1001,
      reason:
        "the server is stopping: reconnect, subscribe and send catchup with last_event_id = your last db_event_id",
    });
  });
});
