import { expect } from "chai";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { checkDatabase, checkNats } from "../check-reachable.ts";
import { freePort } from "../free-port.ts";
import { rejectionOf } from "./rejection-of.ts";

async function listenAndSay(text: string): Promise<{ port: number } & Disposable> {
  const server = createServer((socket) => socket.end(text));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { port, [Symbol.dispose]: () => void server.close() };
}

describe("checkDatabase", () => {
  it("says where nothing listens, without the password", async () => {
    const port = await freePort("127.0.0.1");
    const message = await rejectionOf(checkDatabase(`postgres://tarsy:tops3cret@127.0.0.1:${port}/tarsy`));
    expect(message)
      .to.include(`DATABASE_URL leads to 127.0.0.1:${port}`)
      .and.include("nothing listens there");
    expect(message).to.include("unset DATABASE_URL").and.not.include("tops3cret").and.not.include("\n");
  });

  it("says when what answers is no PostgreSQL", async () => {
    using server = await listenAndSay("HTTP/1.1 400 Bad Request\r\n\r\n");
    const message = await rejectionOf(
      checkDatabase(`postgres://tarsy:tops3cret@127.0.0.1:${server.port}/tarsy`),
    );
    expect(message).to.include("DATABASE_URL").and.not.include("tops3cret");
  });

  it("does not repeat a URL it cannot read", async () => {
    for (const url of ["mysql://a:tops3cret@h/x", "tops3cret"]) {
      const message = await rejectionOf(checkDatabase(url));
      expect(message).to.include("DATABASE_URL is no URL").and.not.include("tops3cret");
    }
  });
});

describe("checkNats", () => {
  it("says where nothing listens, of every server in a list", async () => {
    const [one, two] = [await freePort("127.0.0.1"), await freePort("127.0.0.1")];
    const message = await rejectionOf(
      checkNats(`nats://me:tops3cret@127.0.0.1:${one},nats://127.0.0.1:${two}`),
    );
    expect(message)
      .to.include(`127.0.0.1:${one}`)
      .and.include(`127.0.0.1:${two}`)
      .and.not.include("tops3cret");
  });

  it("tells a server without JetStream and something that is no NATS server", async () => {
    using plain = await listenAndSay('INFO {"server_id":"X"}\r\n');
    expect(await rejectionOf(checkNats(`nats://127.0.0.1:${plain.port}`))).to.include("without JetStream");
    using other = await listenAndSay("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect(await rejectionOf(checkNats(`nats://127.0.0.1:${other.port}`))).to.include("no NATS server");
  });

  it("is content with one server that answers", async () => {
    using good = await listenAndSay('INFO {"server_id":"X","jetstream":true}\r\n');
    await checkNats(`nats://127.0.0.1:${await freePort("127.0.0.1")},nats://127.0.0.1:${good.port}`);
  });
});
