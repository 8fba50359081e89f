import { expect } from "chai";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { checkDatabaseUrl, checkNatsUrl } from "../check-server-urls.ts";
import { freePort } from "../free-port.ts";
import { rejectionOf } from "./rejection-of.ts";

async function listenAndSend(text: string): Promise<{ port: number } & Disposable> {
  const server = createServer((socket) => socket.end(text));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { port, [Symbol.dispose]: () => void server.close() };
}

describe("checkDatabaseUrl", () => {
  it("names the address where nothing listens, without the password", async () => {
    const port = await freePort("127.0.0.1");
    const message = await rejectionOf(checkDatabaseUrl(`postgres://tarsy:tops3cret@127.0.0.1:${port}/tarsy`));
    expect(message)
      .to.include(`DATABASE_URL leads to 127.0.0.1:${port}`)
      .and.include("nothing listens there");
    expect(message).to.include("unset DATABASE_URL").and.not.include("tops3cret").and.not.include("\n");
  });

  it("reports a server that is not PostgreSQL", async () => {
    using server = await listenAndSend("HTTP/1.1 400 Bad Request\r\n\r\n");
    const message = await rejectionOf(
      checkDatabaseUrl(`postgres://tarsy:tops3cret@127.0.0.1:${server.port}/tarsy`),
    );
    expect(message).to.include("DATABASE_URL").and.not.include("tops3cret");
  });

  it("does not repeat an invalid URL", async () => {
    for (const url of ["mysql://a:tops3cret@h/x", "tops3cret"]) {
      const message = await rejectionOf(checkDatabaseUrl(url));
      expect(message).to.include("DATABASE_URL is not a valid URL").and.not.include("tops3cret");
    }
  });
});

describe("checkNatsUrl", () => {
  it("names every server of a list where nothing listens", async () => {
    const [one, two] = [await freePort("127.0.0.1"), await freePort("127.0.0.1")];
    const message = await rejectionOf(
      checkNatsUrl(`nats://me:tops3cret@127.0.0.1:${one},nats://127.0.0.1:${two}`),
    );
    expect(message)
      .to.include(`127.0.0.1:${one}`)
      .and.include(`127.0.0.1:${two}`)
      .and.not.include("tops3cret");
  });

  it("reports a server without JetStream and a server that is not NATS", async () => {
    using plain = await listenAndSend('INFO {"server_id":"X"}\r\n');
    expect(await rejectionOf(checkNatsUrl(`nats://127.0.0.1:${plain.port}`))).to.include("without JetStream");
    using other = await listenAndSend("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect(await rejectionOf(checkNatsUrl(`nats://127.0.0.1:${other.port}`))).to.include("not a NATS server");
  });

  it("accepts a list with one server that answers", async () => {
    using good = await listenAndSend('INFO {"server_id":"X","jetstream":true}\r\n');
    await checkNatsUrl(`nats://127.0.0.1:${await freePort("127.0.0.1")},nats://127.0.0.1:${good.port}`);
  });
});
