import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { SnapshotReply } from "#shared/contracts/stream-chunk.ts";
import { testSeed } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { ContractClient } from "../../../test/support/contract-client.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

describe("notifier: streamed text in the contract's dialect", () => {
  let fixture: NotifierFixture;
  let url: string;
  let session: TestSession;
  let channel: string;
  let eventId: string;
  const texts = new Map<string, SnapshotReply["streams"][number]>();

  before(async () => {
    fixture = await NotifierFixture.start();
    const notifier = await fixture.notifier();
    url = notifier.url.replace("/ws", "/api/v1/ws");
  });
  after(async () => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    session = await fixture.newSession();
    channel = `session:${session.id}`;
    eventId = randomUUID();
    texts.clear();
  });

  /** Adds text as an executor does: chunks are lost without a subscriber, and a snapshot has all of it. */
  const stream = async (id: string, delta: string, attempt = 1) => {
    const known = texts.get(id);
    const before = known?.attempt === attempt ? known.text : "";
    const text = before + delta;
    const repeated = known !== undefined && (known.repeated || known.attempt !== attempt);
    texts.set(id, { event_id: id, attempt, offset: 0, text, length: text.length, repeated });
    await session.chunk(id, before.length, delta, attempt);
  };
  const serveText = async () =>
    session.answerSnapshots(({ event_id = "", offset = 0 }) => {
      const stored = texts.get(event_id);
      return stored && { ...stored, offset, text: stored.text.slice(offset) };
    });
  const deltas = (client: TestClient) =>
    client
      .of("stream.chunk")
      .map(({ delta }) => String(delta))
      .join("");

  it("sends a client that comes in mid-stream the whole text so far, once, and then what follows", async () => {
    using _texts = await serveText();
    await session.emit(session.opened(eventId, "react"));
    await session.storeOpenRow(eventId);
    await stream(eventId, "The disk ");
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await client.until(() => deltas(client) === "The disk ");
    const [created] = client.of("timeline_event.created");
    expect(created).to.deep.include({ event_type: "llm_thinking", metadata: { source: "react" } });
    expect(created).not.to.have.property("source");
    await stream(eventId, "is full");
    await client.until(() => deltas(client) === "The disk is full");
    const [chunk] = client.of("stream.chunk");
    expect(chunk).to.have.all.keys("type", "session_id", "event_id", "delta", "timestamp");
  });

  it("sends a client that comes back only the text from then on", async () => {
    using _texts = await serveText();
    const [created] = await session.emit(session.opened(eventId));
    await session.storeOpenRow(eventId);
    await stream(eventId, "The disk ");
    using client = await TestClient.connect(url);
    client.send({ action: "subscribe", channel });
    client.send({ action: "catchup", channel, last_event_id: created?.db_event_id });
    await client.until(() => client.of("subscription.confirmed").length === 1);
    // Live and behind the snapshot.
    await until("a later text arrives", async () => {
      await stream(eventId, "x");
      return client.of("stream.chunk").length > 0;
    });
    await session.emit(session.closed(eventId, "whole"));
    await client.until(() => client.of("timeline_event.completed").length === 1);
    expect(deltas(client)).to.match(/^x+$/u);
  });

  it("sends no more text of a call that is repeated, but one of which nothing was sent", async () => {
    const other = randomUUID();
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId), session.opened(other));
    await client.until(() => client.of("timeline_event.created").length === 2);
    await stream(eventId, "The di", 3);
    await client.until(() => deltas(client) === "The di");
    await stream(eventId, "The disk", 4);
    await stream(other, "Later", 4);
    await client.until(() => client.of("stream.chunk").length === 2);
    await session.emit(session.closed(eventId, "The disk is full."));
    await client.until(() => client.of("timeline_event.completed").length === 1);
    expect(deltas(client)).to.equal("The diLater");
  });

  it("leaves clients whose sockets are cut with the whole picture, and never with a text twice", async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    using _texts = await serveText();
    await using proxy = await TcpProxy.start({ host: "127.0.0.1", port: Number(new URL(url).port) });
    using client = new ContractClient(proxy.leadTo(url), session.id);
    const stage = {
      session_id: session.id,
      stage_id: session.stageId,
      stage_name: "analysis",
      stage_index: 1,
    };
    await session.emit(session.status(), { type: "stage.started", ...stage, status: "active" });
    const doubled = () =>
      [...client.entries.values()].filter(({ isOpen, content }) => {
        const numbers = content.split(" ").slice(0, -1).map(Number);
        return isOpen && numbers.some((number, index) => index > 0 && number <= Number(numbers[index - 1]));
      });
    const final = new Map<string, string>();
    for (let event = 0; event < 25; event += 1) {
      const id = randomUUID();
      await session.emit(session.opened(id));
      await session.storeOpenRow(id);
      await client.until(() => client.entries.has(id));
      let attempt = 10 * event + 1;
      for (let number = 1; number <= 12; number += 1) {
        if (random() < 0.15) attempt += 1;
        const known = texts.get(id);
        const delta = known === undefined || known.attempt === attempt ? `${number} ` : `1 `;
        await stream(id, delta, attempt);
        if (random() < 0.1) proxy.cutAfter(random() * 2_000);
        if (random() < 0.2) {
          const { subscribed } = client;
          proxy.cut();
          await client.until(() => client.subscribed > subscribed);
        }
        expect(doubled(), `seed ${seed}`).to.deep.equal([]);
      }
      await session.emit(session.closed(id, `whole ${event}`));
      texts.delete(id);
      await session.emit({ ...session.whole(`note ${event}`), event_id: id.replace(/^./u, "0") });
      final.set(id, `whole ${event}`);
    }
    proxy.cutAfter(Infinity);
    await session.emit({ type: "stage.completed", ...stage, status: "completed" }, session.ended());
    await client.until(() => client.status === "completed");
    for (const [id, content] of final) {
      expect(client.entries.get(id), `seed ${seed}`).to.include({ content, status: "completed" });
    }
    expect(client.stages).to.deep.equal(new Map([[1, "completed"]]));
    expect(client.overflows).to.equal(0);
    expect(client.connects).to.be.greaterThan(3);
    expect(doubled()).to.deep.equal([]);
  });
});
