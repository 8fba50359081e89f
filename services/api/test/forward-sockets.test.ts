import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { WebSocket } from "ws";
import { startNotifier } from "../../../test/support/start-notifier.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const HOST = "127.0.0.1";

/** A socket and what it has received. */
interface Watched {
  readonly socket: WebSocket;
  readonly messages: Readonly<Record<string, unknown>>[];
  closeCode: number | undefined;
}

function watch(url: string): Watched {
  const watched: Watched = { socket: new WebSocket(url), messages: [], closeCode: undefined };
  watched.socket.on("message", (data: Buffer) => {
    const decoded: unknown = JSON.parse(data.toString());
    watched.messages.push(typeof decoded === "object" && decoded !== null ? { ...decoded } : {});
  });
  watched.socket.on("close", (code) => (watched.closeCode = code));
  watched.socket.on("error", () => undefined);
  return watched;
}

/** The status and the sentence with which a handshake is refused. */
async function refusalOf(url: string, options: { origin?: string } = {}): Promise<readonly [number, string]> {
  const socket = new WebSocket(url, options);
  return new Promise((resolve, reject) => {
    socket.on("open", () => reject(new Error("the handshake was not refused")));
    socket.on("error", reject);
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve([response.statusCode ?? 0, text.trim()]));
    });
  });
}

describe("SocketForwarder", () => {
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  let servers: BackingServers;
  let link: TcpProxy;
  let api: ApiFixture;
  let url: string;

  /** An api that reaches the notifier over `link`, or another address. */
  const startApi = async (address: string, sockets = {}) =>
    resources.use(await ApiFixture.start({ servers, env: { NOTIFIER_ADDR: address }, sockets }));

  before(async () => {
    servers = resources.use(await BackingServers.choose({}));
    await servers.migrate();
    const notifier = resources.use(
      await startNotifier({
        databaseUrl: servers.postgres.serviceUrls.notifier,
        natsUrl: servers.natsUrl("notifier"),
        signal: stopping.signal,
      }),
    );
    link = resources.use(await TcpProxy.start({ host: HOST, port: notifier.port }));
    api = await startApi(`${HOST}:${link.port}`);
    url = `ws://${HOST}:${api.port}/ws`;
  });
  after(async () => {
    stopping.abort();
    await resources.disposeAsync();
  });

  it("forwards both paths of the notifier, with their queries", async () => {
    const id = await api.client.submit("x");
    for (const path of ["/ws?from=page", "/api/v1/ws"]) {
      const { socket, messages } = watch(`ws://${HOST}:${api.port}${path}`);
      await once(socket, "open");
      socket.send(JSON.stringify({ action: "subscribe", channel: `session:${id}` }));
      await until("the confirmation", () => messages.some(({ type }) => type === "subscription.confirmed"));
      expect(messages[0]).to.include({ type: "connection.established" });
      socket.close();
      await once(socket, "close");
    }
  });

  it("leaves the decision about who gets in to the notifier, which sees the client's own headers", async () => {
    const [status, body] = await refusalOf(url, { origin: "http://evil.example" });
    expect(status).to.equal(403);
    expect(body).to.include("requests from pages of origin 'http://evil.example' are not allowed");
    const own = new WebSocket(url, ["tarsy.own"], { origin: `http://${HOST}:${api.port}` });
    await once(own, "open");
    expect(own.protocol).to.equal("tarsy.own");
    own.terminate();
  });

  it("closes the client's side when the way to the notifier is cut, again and again", async () => {
    for (let round = 0; round < 10; round += 1) {
      const watched = watch(url);
      await until("the first message", () => watched.messages.length > 0);
      link.cut();
      await until("the client's socket is closed", () => watched.closeCode !== undefined);
      expect(watched.closeCode).to.equal(1006);
    }
  });

  it("closes the notifier's side when a client is gone, and counts open sockets exactly", async () => {
    const small = await startApi(`${HOST}:${link.port}`, { maxSockets: 2 });
    const smallUrl = `ws://${HOST}:${small.port}/ws`;
    const both = [watch(smallUrl), watch(smallUrl)];
    for (const { messages } of both) await until("the first message", () => messages.length > 0);
    expect((await refusalOf(smallUrl))[0]).to.equal(503);
    for (const { socket } of both) socket.terminate();
    await until("a place is free", async () => {
      const next = watch(smallUrl);
      await Promise.race([once(next.socket, "open"), once(next.socket, "close")]);
      const isOpen = next.socket.readyState === WebSocket.OPEN;
      next.socket.terminate();
      return isOpen;
    });
  });

  it("answers 503 while the notifier is away, or silent", async () => {
    const none = await startApi(new URL(NOTHING_LISTENS).host);
    const expected = '{"message":"live events are away: try again in a moment"}';
    expect(await refusalOf(`ws://${HOST}:${none.port}/ws`)).to.deep.equal([503, expected]);
    const silent = await startApi(`${HOST}:${link.port}`, { handshakeMs: 200 });
    link.blackhole(true);
    expect(await refusalOf(`ws://${HOST}:${silent.port}/ws`)).to.deep.equal([503, expected]);
    link.blackhole(false);
  });

  it("ends both sides when a client only half-closes", async () => {
    const socket = connect({ port: api.port, host: HOST, allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${HOST}:${api.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n",
    );
    await once(socket, "data");
    socket.end();
    socket.resume();
    await once(socket, "close");
  });

  it("refuses a handshake with a body, and answers other upgrades like any request", async () => {
    const raw = async (head: string) => {
      const socket = connect(api.port, HOST);
      socket.write(`${head}\r\nHost: localhost\r\nConnection: Upgrade, close\r\n\r\n`);
      let text = "";
      for await (const part of socket.setEncoding("utf8")) text += String(part);
      return text.split("\r\n", 1)[0];
    };
    expect(await raw("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nContent-Length: 5")).to.include("400");
    expect(await raw("GET /health HTTP/1.1\r\nUpgrade: h2c")).to.include("200");
    expect(await raw("GET /nothing HTTP/1.1\r\nUpgrade: websocket")).to.include("404");
    const alone = resources.use(await ApiFixture.start({ servers }));
    expect((await refusalOf(`ws://${HOST}:${alone.port}/ws`))[0]).to.equal(404);
  });

  it("cuts its sockets when the api stops", async () => {
    const other = await ApiFixture.start({ servers, env: { NOTIFIER_ADDR: `${HOST}:${link.port}` } });
    const watched = watch(`ws://${HOST}:${other.port}/ws`);
    await until("the first message", () => watched.messages.length > 0);
    await other[Symbol.asyncDispose]();
    await until("the client's socket is closed", () => watched.closeCode === 1006);
  });
});
