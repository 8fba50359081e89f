import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { appendEvents } from "#shared/database/append-events.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";
import { SseClient } from "../../../test/support/sse-client.ts";
import { SessionEvents, onTheWire, statusEvent, textEvent, times } from "./session-events.ts";

describe("GET /api/v1/sessions/:id/events as a stream", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let log: SessionEvents;

  before(async () => {
    // Polling once an hour: events can only arrive over the bus.
    api = resources.use(await ApiFixture.start({ sse: { pollEveryMs: 3_600_000 } }));
    log = resources.use(await SessionEvents.of(api));
  });
  after(() => resources.disposeAsync());

  const path = (id: string, query = "") => `/api/v1/sessions/${id}/events${query}`;
  const url = (id: string, query = "", at = api) => `http://127.0.0.1:${at.port}${path(id, query)}`;

  describe("while its session runs", () => {
    it("sends history and then live events, each once and in order, until the session is over", async () => {
      const id = await api.client.submit("x");
      const events = await log.commit(
        id,
        times(250, (n) => textEvent(id, `${n}`)),
      );
      await using stream = await SseClient.open(url(id));
      expect(stream.status).to.equal(200);
      expect(stream.headers.get("content-type")).to.match(/^text\/event-stream/u);
      await stream.ids(1);
      for (let n = 0; n < 20; n++) {
        events.push(...(await log.emit(id, [statusEvent(id), statusEvent(id)])));
      }
      await stream.ids(290);
      events.push(...(await log.complete(id)));
      expect(await stream.ended).to.equal("end");
      expect(stream.events).to.deep.equal(
        events.map((event) => ({ id: String(event.seq), type: event.payload.type, data: onTheWire(event) })),
      );
    });

    it("resumes after the client's number, and prefers its header to its query", async () => {
      const id = await api.client.submit("x");
      await log.commit(
        id,
        times(9, () => statusEvent(id)),
      );
      await using queried = await SseClient.open(url(id, "?after_seq=6"));
      expect(await queried.ids(3)).to.deep.equal([7, 8, 9]);
      await using again = await SseClient.open(url(id, "?after_seq=6"), { "last-event-id": "8" });
      expect(await again.ids(1)).to.deep.equal([9]);
      await using beyond = await SseClient.open(url(id), { "last-event-id": "10" });
      expect(beyond.status).to.equal(400);
      await using nonsense = await SseClient.open(url(id), { "last-event-id": "x" });
      expect(nonsense.status).to.equal(400);
    });

    it("answers 204 to a client that has every event of a session that is over", async () => {
      const id = await api.client.submit("x");
      await log.complete(id);
      await using late = await SseClient.open(url(id));
      expect(await late.ended).to.equal("end");
      expect(late.events).to.have.length(1);
      await using again = await SseClient.open(url(id), { "last-event-id": "1" });
      expect(again.status).to.equal(204);
    });

    it("ends with the last event of a session that is over, whatever its type", async () => {
      const id = await api.client.submit("x");
      await log.commit(id, [statusEvent(id)]);
      await api.servers.query(
        "UPDATE alert_sessions SET status = 'failed', completed_at = now() WHERE session_id = $1",
        [id],
      );
      await using stream = await SseClient.open(url(id));
      expect(await stream.ended).to.equal("end");
      expect(stream.events).to.have.length(1);
    });

    it("sends the reviews of a session that is over, to those who reconnect, too", async () => {
      const id = await api.client.submit("x");
      await using live = await SseClient.open(url(id));
      await log.complete(id);
      expect(await live.ended).to.equal("end");
      await log.emit(id, [
        { type: "review.status", session_id: id, review_status: "reviewed", actor: "ann" },
      ]);
      await using again = await SseClient.open(url(id), { "last-event-id": "1" });
      expect(await again.ended).to.equal("end");
      expect(again.events.map(({ id: seq, type }) => [seq, type])).to.deep.equal([["2", "review.status"]]);
      await using late = await SseClient.open(url(id));
      expect(await late.ended).to.equal("end");
      expect(late.events.map(({ type }) => type)).to.deep.equal(["session.completed", "review.status"]);
      await using last = await SseClient.open(url(id), { "last-event-id": "2" });
      expect(last.status).to.equal(204);
    });

    it("ignores an event number on the bus that is not stored", async () => {
      const id = await api.client.submit("x");
      await using stream = await SseClient.open(url(id));
      const [first] = await log.commit(id, [statusEvent(id)]);
      if (first === undefined) throw new Error("nothing was stored");
      await log.publish({ ...first, seq: 99 });
      expect(await stream.ids(1)).to.deep.equal([1]);
      await log.emit(id, [statusEvent(id)]);
      expect(await stream.ids(2)).to.deep.equal([1, 2]);
    });

    it("sends an event of a type that only a later version knows as it is stored", async () => {
      const id = await api.client.submit("x");
      const [first, second] = await log.commit(id, [statusEvent(id), statusEvent(id)]);
      await api.servers.query(
        `UPDATE events SET payload = payload || '{"type": "session.later", "added": 1}' WHERE session_id = $1 AND seq = 2`,
        [id],
      );
      const later = {
        ...second?.payload,
        type: "session.later",
        added: 1,
        seq: 2,
        db_event_id: second?.db_event_id,
      };
      await using stream = await SseClient.open(url(id));
      await stream.ids(2);
      expect(stream.events.map(({ type }) => type)).to.deep.equal(["session.status", "session.later"]);
      expect(stream.events[1]?.data).to.deep.equal(later);
      const { body } = await api.client.request("GET", path(id));
      expect(body).to.deep.include({ events: [first && onTheWire(first), later], last_seq: 2 });
    });

    it("aborts at an event that cannot be read instead of skipping it", async () => {
      const id = await api.client.submit("x");
      await log.commit(id, [statusEvent(id), statusEvent(id)]);
      await api.servers.query("UPDATE events SET payload = '{}' WHERE session_id = $1 AND seq = 2", [id]);
      await using stream = await SseClient.open(url(id));
      expect(await stream.ended).to.equal("cut");
      expect(stream.events).to.have.length(0);
    });

    it("answers HEAD without a stream", async () => {
      const id = await api.client.submit("x");
      const headers = { accept: "text/event-stream" };
      const answer = await api.raw("HEAD", path(id), { headers });
      expect(answer).to.include({ status: 200, text: "" });
      expect(answer.headers.get("content-type")).to.match(/^text\/event-stream/u);
    });

    it("sends a slow reader every event, at its own pace", async () => {
      const id = await api.client.submit("x");
      await log.commit(
        id,
        times(100, (n) => textEvent(id, String(n).padEnd(65_536, "x"))),
      );
      await log.complete(id);
      const socket = connect(api.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(`GET ${path(id)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
      const ids: number[] = [];
      let rest = "";
      for await (const bytes of socket.setEncoding("latin1")) {
        const lines = `${rest}${String(bytes)}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("id: ")) ids.push(Number(line.slice(4)));
        await new Promise((resolve) => void setImmediate(resolve));
      }
      expect(ids).to.deep.equal(times(101, (n) => n + 1));
    });
  });

  describe("at its limits", () => {
    const open = async (options: Parameters<typeof ApiFixture.start>[0]) =>
      ApiFixture.start({ servers: api.servers, ...options });

    it("sends heartbeats while there are no events", async () => {
      const id = await api.client.submit("x");
      await using quiet = await open({ sse: { heartbeatMs: 20 } });
      await using stream = await SseClient.open(url(id, "", quiet));
      await until("two heartbeats", () => stream.comments.length >= 2);
      expect(stream.comments).to.include("still here");
    });

    it("refuses a connection over the limit with 503, until another is closed", async () => {
      const id = await api.client.submit("x");
      await using small = await open({ env: { API_MAX_EVENT_STREAMS: "2" } });
      const streams = [await SseClient.open(url(id, "", small)), await SseClient.open(url(id, "", small))];
      await using refused = await SseClient.open(url(id, "", small));
      expect(refused.status).to.equal(503);
      expect(refused.headers.get("retry-after")).to.equal("5");
      await streams[0]?.[Symbol.asyncDispose]();
      await until("there is room again", async () => {
        await using another = await SseClient.open(url(id, "", small));
        return another.status === 200;
      });
      await streams[1]?.[Symbol.asyncDispose]();
    });

    it("does not count requests that were refused or answered", async () => {
      const id = await api.client.submit("x");
      await using small = await open({ env: { API_MAX_EVENT_STREAMS: "1" } });
      for (let n = 0; n < 3; n++) {
        await until("404 for the unknown session, not 503", async () => {
          await using unknown = await SseClient.open(url(randomUUID(), "", small));
          return unknown.status === 404;
        });
        await until("400 for the wrong number, not 503", async () => {
          await using beyond = await SseClient.open(url(id, "?after_seq=5", small));
          return beyond.status === 400;
        });
      }
    });

    it("disconnects a client that reads nothing", async () => {
      const id = await api.client.submit("x");
      await log.commit(
        id,
        times(300, () => textEvent(id, "x".repeat(65_536))),
      );
      await using strict = await open({ sse: { stalledMs: 200 } });
      const socket = connect(strict.port, "127.0.0.1").pause();
      await once(socket, "connect");
      socket.write(`GET ${path(id)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
      const { sseConnections } = strict.deps.metrics;
      const openConnections = async () => (await sseConnections.get()).values[0]?.value;
      await until("it is open", async () => (await openConnections()) === 1);
      await until("it is closed", async () => (await openConnections()) === 0);
      socket.destroy();
    });

    it("ends streams between two events when the service stops", async () => {
      const id = await api.client.submit("x");
      await log.commit(id, [statusEvent(id)]);
      await using stopping = await open({});
      await using stream = await SseClient.open(url(id, "", stopping));
      await stream.ids(1);
      stopping.stop();
      expect(await stream.ended).to.equal("end");
    });
  });

  it("ends when events that it has sent are lost, and is refused to a client that has them", async () => {
    const polling = resources.use(await ApiFixture.start({ sse: { pollEveryMs: 20 } }));
    const id = await polling.client.submit("x");
    const append = async () =>
      polling.db.transaction(async (manager) => appendEvents(manager, id, [statusEvent(id)]));
    await append();
    await append();
    await using stream = await SseClient.open(url(id, "", polling));
    expect(await stream.ids(2)).to.deep.equal([1, 2]);
    // As a standby has them that never received the second one.
    await polling.servers.query("DELETE FROM events WHERE session_id = $1 AND seq = 2", [id]);
    await polling.servers.query("UPDATE session_runtime SET last_seq = 1 WHERE session_id = $1", [id]);
    expect(await stream.ended).to.equal("end");
    await using again = await SseClient.open(url(id, "", polling), { "last-event-id": "2" });
    expect(again.status).to.equal(400);
  });

  describe("without NATS or Postgres", () => {
    it("sends events that the bus lost, and waits for Postgres", async () => {
      await using alone = await ApiFixture.start({ ownServers: true, sse: { pollEveryMs: 20 } });
      const id = await alone.client.submit("x");
      await using stream = await SseClient.open(url(id, "", alone));
      await alone.servers.killNats();
      const append = async () =>
        alone.db.transaction(async (manager) => appendEvents(manager, id, [statusEvent(id)]));
      await append();
      expect(await stream.ids(1)).to.deep.equal([1]);
      await append();
      await alone.servers.stopPostgres();
      await alone.servers.restartPostgres();
      await until("another event is stored", append);
      expect(await stream.ids(3)).to.deep.equal([1, 2, 3]);
    });
  });
});
