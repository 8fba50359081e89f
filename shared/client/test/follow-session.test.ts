import { once } from "node:events";
import { expect } from "chai";
import { WebSocketServer, type WebSocket as ServerSocket } from "ws";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { followSession, type NotifierMessage } from "#shared/client/follow-session.ts";

const SESSION = "019ab0c4-7c1e-7d3a-9f70-2b7a4a9e1c55";

/** A notifier whose every connection is answered by the next of `scripts`, after its subscription. */
class ScriptedNotifier implements AsyncDisposable {
  readonly #server: WebSocketServer;
  readonly subscriptions: unknown[] = [];

  private constructor(server: WebSocketServer, scripts: ((socket: ServerSocket) => void)[]) {
    this.#server = server;
    server.on("connection", (socket) =>
      socket.on("message", (data: Buffer) => {
        const subscription: unknown = JSON.parse(data.toString("utf8"));
        this.subscriptions.push(subscription);
        scripts.shift()?.(socket);
      }),
    );
  }

  static async start(...scripts: ((socket: ServerSocket) => void)[]): Promise<ScriptedNotifier> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    return new ScriptedNotifier(server, scripts);
  }

  get url(): string {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? `ws://127.0.0.1:${address.port}` : "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const idOf = (seq: number) => 1_000 + seq;
const event = (seq: number, type = "session.status") => ({
  type,
  seq,
  db_event_id: idOf(seq),
  session_id: SESSION,
});
const sending =
  (...messages: object[]) =>
  (socket: ServerSocket) => {
    for (const message of messages) socket.send(JSON.stringify(message));
  };

describe("followSession", () => {
  const follow = async (notifier: ScriptedNotifier) => {
    const messages: NotifierMessage[] = [];
    const lost: string[] = [];
    await followSession({
      url: notifier.url,
      sessionId: SESSION,
      onMessage: (message) => messages.push(message),
      onDisconnect: (why) => lost.push(why),
    });
    return { seqs: messages.map(({ seq }) => seq), lost };
  };
  const subscription = (after_seq: number) => ({
    action: "subscribe",
    channel: `session:${SESSION}`,
    after_seq,
    ...(after_seq === 0 ? {} : { last_event_id: idOf(after_seq) }),
  });

  it("tries again, as after any failure, where the port is one that browsers refuse", async () => {
    const stopped = new AbortController();
    const lost: string[] = [];
    const following = followSession({
      url: "ws://127.0.0.1:6000/ws",
      sessionId: SESSION,
      onMessage: () => undefined,
      onDisconnect: (why) => {
        lost.push(why);
        stopped.abort(new Error("stopped"));
      },
      signal: stopped.signal,
    });
    expect(await following.catch((error: unknown) => String(error))).to.equal("Error: stopped");
    expect(lost).to.deep.equal(["no connection"]);
  });

  it("resumes after the last event when the connection is lost, and passes nothing on twice", async () => {
    await using notifier = await ScriptedNotifier.start(
      (socket) => {
        sending(event(1), event(2))(socket);
        socket.close(1001, "stopping");
      },
      sending(event(2), event(3, "session.completed"), event(4)),
    );
    expect(await follow(notifier)).to.deep.equal({ seqs: [1, 2, 3], lost: ["stopping"] });
    expect(notifier.subscriptions).to.deep.equal([subscription(0), subscription(2)]);
  });

  it("goes on after the end of the session where that is wanted", async () => {
    await using notifier = await ScriptedNotifier.start(
      (socket) => {
        sending(event(1), event(2, "session.completed"))(socket);
        socket.close(1001, "stopping");
      },
      sending(event(3, "chat.created")),
    );
    const stopped = new AbortController();
    const seqs: unknown[] = [];
    const following = followSession({
      url: notifier.url,
      sessionId: SESSION,
      followsAll: true,
      onMessage: ({ seq }) => {
        seqs.push(seq);
        if (seq === 3) stopped.abort(new Error("stopped"));
      },
      signal: stopped.signal,
    });
    expect(await following.catch((error: unknown) => String(error))).to.equal("Error: stopped");
    expect(seqs).to.deep.equal([1, 2, 3]);
    expect(notifier.subscriptions).to.deep.equal([subscription(0), subscription(2)]);
  });

  it("connects again when an event is missing", async () => {
    await using notifier = await ScriptedNotifier.start(
      sending(event(1), event(3, "session.completed")),
      sending(event(2), event(3, "session.completed")),
    );
    expect(await follow(notifier)).to.deep.equal({ seqs: [1, 2, 3], lost: ["event 2 is missing"] });
  });

  for (const code of ["events_purged", "events_lost"]) {
    it(`gives up at once on ${code}`, async () => {
      const gone = { type: "error", code, message: "its events are gone" };
      await using notifier = await ScriptedNotifier.start(sending(gone));
      const failure: unknown = await follow(notifier).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ApiFailure).and.include({ code });
    });
  }

  it("connects again where a connection stays open and brings nothing", async () => {
    const silent = () => undefined;
    // The second one gets the ping.
    await using notifier = await ScriptedNotifier.start(
      sending(event(1)),
      silent,
      sending(event(2, "session.completed")),
    );
    const seqs: unknown[] = [];
    const lost: string[] = [];
    await followSession({
      url: notifier.url,
      sessionId: SESSION,
      // A ping that comes before the answer to the subscription would be another message.
      pingMs: 2_000,
      onMessage: ({ seq }) => seqs.push(seq),
      onDisconnect: (why) => lost.push(why),
    });
    expect(seqs).to.deep.equal([1, 2]);
    expect(lost).to.deep.equal(["no answer"]);
    expect(notifier.subscriptions[1]).to.deep.equal({ action: "ping" });
  });

  it("ends when its signal aborts, also while it waits to connect again", async () => {
    await using notifier = await ScriptedNotifier.start((socket) => socket.close());
    const stop = new AbortController();
    const following = followSession({
      url: notifier.url,
      sessionId: SESSION,
      onMessage: () => undefined,
      onDisconnect: () => stop.abort(new Error("enough")),
      signal: stop.signal,
    });
    const failure: unknown = await following.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).and.have.property("message", "enough");
  });
});
