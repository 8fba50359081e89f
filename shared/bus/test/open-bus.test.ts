import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-message.ts";
import { publishEvent, lastPublishedSeq } from "#shared/bus/publish-event.ts";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { request, serveRequests } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { busEventCodec, MAX_INLINE_PAYLOAD_BYTES, type BusEvent } from "#shared/contracts/session-event.ts";
import { sessionCancelCodec } from "#shared/contracts/session-signals.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { TerminalError } from "#shared/errors.ts";
import { freePort } from "../../../launcher/free-port.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { until } from "../../../test/support/until.ts";
import { BusFixture } from "./bus-fixture.ts";

const TOOLS = { request: toolListRequestCodec, reply: toolListReplyCodec };

describe("the bus", () => {
  let fixture: BusFixture;

  before(async () => {
    fixture = await BusFixture.start({ ownServers: true });
    await ensureStreams(fixture.bus, { replicas: 1 });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const statusEvent = (session_id: string, seq: number, error_message?: string) => ({
    session_id,
    seq,
    db_event_id: seq,
    payload: {
      type: "session.status",
      session_id,
      status: "failed",
      ...(error_message === undefined ? {} : { error_message }),
      timestamp: "now",
    } as const,
  });

  describe("publishEvent", () => {
    it("reaches the session's subject and the stream, and the feed for a status", async () => {
      const id = randomUUID();
      const heard: [string, BusEvent][] = [];
      for (const subject of [SUBJECTS.events(id), SUBJECTS.feed(id)]) {
        await subscribe(fixture.bus, subject, busEventCodec, (event, on) => heard.push([on, event])).live();
      }
      publishEvent(fixture.bus, statusEvent(id, 1));
      await until("both have come", () => heard.length === 2);
      expect(heard.map(([subject]) => subject)).to.have.members([SUBJECTS.events(id), SUBJECTS.feed(id)]);
      for (const [, event] of heard) expect(event).to.deep.equal(statusEvent(id, 1));
      await until("it is stored", async () => (await lastPublishedSeq(fixture.bus, id)) === 1);
    });

    it("sends only the number of a payload over 64 KiB", async () => {
      const id = randomUUID();
      const heard: BusEvent[] = [];
      await subscribe(fixture.bus, SUBJECTS.events(id), busEventCodec, (event) => heard.push(event)).live();
      publishEvent(fixture.bus, statusEvent(id, 1, "x".repeat(MAX_INLINE_PAYLOAD_BYTES)));
      await until("it has come", () => heard.length === 1);
      expect(heard).to.deep.equal([{ session_id: id, seq: 1, db_event_id: 1 }]);
    });

    it("does nothing on a closed connection", async () => {
      const bus = await fixture.connect();
      await bus.connection.close();
      publishEvent(bus, statusEvent(randomUUID(), 1));
    });
  });

  describe("lastPublishedSeq", () => {
    it("is 0 for a session without events and the newest number otherwise", async () => {
      const id = randomUUID();
      expect(await lastPublishedSeq(fixture.bus, id)).to.equal(0);
      for (const seq of [1, 2, 3]) publishEvent(fixture.bus, statusEvent(id, seq));
      await until("all are stored", async () => (await lastPublishedSeq(fixture.bus, id)) === 3);
    });
  });

  describe("subscribe", () => {
    const chunk = (id: string, offset: number): StreamChunk => ({
      type: "stream.chunk",
      session_id: id,
      event_id: id,
      attempt: 1,
      offset,
      delta: "x",
      timestamp: "now",
    });

    it("keeps the order in which one connection published to two subjects", async () => {
      const id = randomUUID();
      const listener = await fixture.connect();
      const heard: number[] = [];
      await subscribe(listener, SUBJECTS.events(id), busEventCodec, ({ seq }) => heard.push(seq)).live();
      await subscribe(listener, SUBJECTS.chunks(id), streamChunkCodec, ({ offset }) =>
        heard.push(offset),
      ).live();
      const count = 500;
      for (let n = 1; n <= count; n += 2) {
        publishEvent(fixture.bus, statusEvent(id, n));
        publishChunk(fixture.bus, chunk(id, n + 1));
      }
      await until("all have come", () => heard.length === count);
      expect(heard).to.deep.equal(Array.from({ length: count }, (_, n) => n + 1));
    });

    it("skips and logs a malformed message", async () => {
      const id = randomUUID();
      const heard: StreamChunk[] = [];
      const subscription = subscribe(fixture.bus, SUBJECTS.chunks(id), streamChunkCodec, (one) =>
        heard.push(one),
      );
      await subscription.live();
      for (const bytes of ["{", '{"type":"stream.chunk"}', new Uint8Array([0xff])]) {
        fixture.bus.connection.publish(SUBJECTS.chunks(id), bytes);
      }
      publishChunk(fixture.bus, chunk(id, 0));
      await until("the good one has come", () => heard.length > 0);
      expect(heard).to.deep.equal([chunk(id, 0)]);
      expect(fixture.logged.filter((line) => line.includes(id))).to.have.length(3);
      subscription.unsubscribe();
      publishChunk(fixture.bus, chunk(id, 1));
      await fixture.bus.connection.flush();
      expect(heard).to.have.length(1);
    });
  });

  describe("request", () => {
    const ask = { session_id: randomUUID(), execution_id: randomUUID(), server_ids: ["a"] };

    it("gets one reply from a queue group", async () => {
      const subject = `test.${randomUUID()}`;
      const asked: string[] = [];
      const servers = ["one", "two"].map((name) =>
        serveRequests(fixture.bus, { subject, queue: "group" }, TOOLS, ({ server_ids }) => {
          asked.push(name);
          return {
            tools: server_ids.map((id) => ({
              name: `${id}.x`,
              server: id,
              description: "",
              parameters_schema: "{}",
              read_only: true,
            })),
          };
        }),
      );
      await Promise.all(servers.map(async (server) => server.live()));
      const answer = await request(fixture.bus, subject, TOOLS, ask, 5_000);
      expect(answer.tools.map(({ name }) => name)).to.deep.equal(["a.x"]);
      expect(asked).to.have.length(1);
      for (const server of servers) server.unsubscribe();
    });

    it("distinguishes a subject without a service, a missing reply and a malformed reply", async () => {
      const unserved = await request(fixture.bus, "test.unserved", TOOLS, ask, 5_000).catch(
        (e: unknown) => e,
      );
      expect(unserved).to.include({ code: "no_responders", message: "no service answers on test.unserved" });
      const subject = `test.${randomUUID()}`;
      const failing = serveRequests(fixture.bus, { subject }, TOOLS, () => {
        throw new TerminalError("x", "cannot");
      });
      await failing.live();
      const late = await request(fixture.bus, subject, TOOLS, ask, 100).catch((e: unknown) => e);
      expect(late).to.include({ code: "request_timeout" });
      failing.unsubscribe();
      const wrong = serveRequests(
        fixture.bus,
        { subject },
        { request: toolListRequestCodec, reply: sessionCancelCodec },
        () => ({
          session_id: randomUUID(),
        }),
      );
      await wrong.live();
      const malformed = await request(fixture.bus, subject, TOOLS, ask, 5_000).catch((e: unknown) => e);
      expect(malformed).to.include({ code: "malformed" });
    });
  });

  describe("openBus", () => {
    it("retries until the server is reachable, and logs no password", async () => {
      const { port } = fixture.servers.nats;
      const lines: string[] = [];
      const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
      const { signal } = new AbortController();
      await fixture.servers.killNats();
      const url = fixture.servers.natsUrl("test");
      const opening = openBus({ url, name: "x", log, signal });
      await until("it has tried twice", () => lines.length >= 2);
      expect(lines[0]).to.include(`NATS at nats://127.0.0.1:${port} cannot be used`);
      expect(lines.join("")).to.not.include(new URL(url).password);
      await fixture.servers.restartNats();
      const bus = await opening;
      await bus.check();
      await bus[Symbol.asyncDispose]();
      expect(await rejectionOf(bus.check())).to.equal("the connection to NATS is closed");
    });

    it("stops retrying when its signal aborts", async () => {
      const stop = new AbortController();
      const log = pino({ level: "silent" });
      const url = `nats://127.0.0.1:${await freePort("127.0.0.1")}`;
      const opening = openBus({ url, name: "x", log, signal: stop.signal });
      stop.abort(new Error("enough"));
      expect(await rejectionOf(opening)).to.equal("enough");
    });
  });

  describe("onReconnect", () => {
    it("calls back each time the connection is restored", async () => {
      const bus = await fixture.connect();
      let times = 0;
      bus.onReconnect(() => times++);
      for (const round of [1, 2]) {
        await fixture.servers.killNats();
        await fixture.servers.restartNats();
        await until(`reconnect ${round}`, () => times === round);
      }
      expect(fixture.logged.join("")).to.include("NATS connection lost");
    });
  });
});
