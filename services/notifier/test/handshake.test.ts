import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { tryHandshake } from "./try-handshake.ts";

describe("notifier: handshakes", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("accepts pages of its own origin and of the listed ones, and rejects all others with 403", async () => {
    const listed = await fixture.notifier({}, { ALLOWED_ORIGINS: "https://tarsy.example.com" });
    const files = await fixture.notifier({}, { ALLOWED_ORIGINS: "null" });
    const own = new URL(url).host;
    const answers: [string, string | undefined, number][] = [
      [url, undefined, 101],
      [url, `http://${own}`, 101],
      [url, `https://${own}`, 101],
      [url, "http://localhost:5173", 403],
      [url, "http://127.0.0.1", 403],
      [url, "null", 403],
      [url, "http://localhost.evil.example", 403],
      [url, "http://evil.example", 403],
      [url, "file://localhost", 403],
      [listed.url, undefined, 101],
      [listed.url, "https://tarsy.example.com", 101],
      [listed.url, "http://tarsy.example.com", 403],
      [listed.url, "https://tarsy.example.com:8443", 403],
      [listed.url, "https://tarsy.example.com.evil.example", 403],
      [listed.url, "http://localhost:5173", 403],
      [listed.url, "null", 403],
      [files.url, "null", 101],
      [files.url, "http://localhost:5173", 403],
    ];
    for (const [where, origin, status] of answers) {
      expect(await tryHandshake(where, origin), `${origin}`).to.equal(status);
    }
    await listed.stop();
    await files.stop();
  });

  it("closes the socket of a rejected client that keeps its side open", async () => {
    const { port } = new URL(url);
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket
      .resume()
      .write(
        "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      );
    await once(socket, "end");
    // Only the answer to what is sent tells that the other side is gone.
    await until("the socket is closed", () => socket.destroyed || (socket.write("x"), false), 30_000);
  });

  it("accepts both paths and rejects others with 404, plain requests with 426", async () => {
    expect(await tryHandshake(url.replace("/ws", "/api/v1/ws"))).to.equal(101);
    expect(await tryHandshake(url.replace("/ws", "/elsewhere"))).to.equal(404);
    const response = await fetch(url.replace("ws://", "http://"));
    expect([response.status, await response.json()]).to.deep.equal([426, { message: "Upgrade Required" }]);
    expect(Object.fromEntries(response.headers)).to.include(SECURITY_HEADERS);
    // Not a WebSocket handshake, although it asks for an upgrade.
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      ),
    );
    let answer = "";
    for await (const text of socket.setEncoding("utf8")) answer += String(text);
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /u)
      .and.include("x-content-type-options: nosniff");
  });
});
