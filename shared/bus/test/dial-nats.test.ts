import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, Socket, type Server } from "node:net";
import { mock } from "node:test";
import { expect } from "chai";
import { dialNats } from "#shared/bus/dial-nats.ts";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { listen } from "#shared/service/listen.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { until } from "../../../test/support/until.ts";

const HOST = "127.0.0.1";

describe("dialNats", () => {
  let silent: Server;
  const accepted: Socket[] = [];

  before(async () => {
    silent = createServer((socket) => {
      accepted.push(socket.on("error", () => undefined).resume());
    });
    await listen(silent, { host: HOST, port: 0 });
  });
  after(async () => {
    for (const socket of accepted) socket.destroy();
    silent.close();
    await once(silent, "close");
  });

  const address = () => {
    const bound = silent.address();
    if (bound === null || typeof bound === "string") throw new Error("the server has no port");
    return `nats://${HOST}:${bound.port}`;
  };
  const untilAllClosed = async () =>
    until("the server sees the end of every dial", () => accepted.every((socket) => socket.destroyed));

  it("closes the socket of a dial to a server that accepts and says nothing", async () => {
    const { signal } = new AbortController();
    expect(await rejectionOf(dialNats({ servers: [address()], timeout: 200 }, signal))).to.equal("TIMEOUT");
    await until("it was accepted", () => accepted.length === 1);
    await untilAllClosed();
  });

  it("closes it when it is aborted", async () => {
    const stop = new AbortController();
    const dialled = rejectionOf(dialNats({ servers: [address()], timeout: 60_000 }, stop.signal));
    await until("it was accepted", () => accepted.length === 2);
    stop.abort(new Error("enough"));
    expect(await dialled).to.equal("enough");
    await untilAllClosed();
  });

  it("keeps the sockets of others open", async () => {
    await using servers = await BackingServers.choose({});
    const { signal } = new AbortController();
    const connection = await dialNats(parseNatsAddress(servers.nats.url), signal);
    await rejectionOf(dialNats({ servers: [address()], timeout: 200 }, signal));
    await connection.flush();
    await connection.close();
  });

  it("sends in one write what is published in one turn of the event loop", async () => {
    await using servers = await BackingServers.choose({});
    const connection = await dialNats(parseNatsAddress(servers.nats.url), new AbortController().signal);
    const heard: string[] = [];
    const subject = `test.${randomUUID()}`;
    connection.subscribe(subject, { callback: (_error, message) => heard.push(message.string()) });
    await connection.flush();
    // Joined writes go through _writev.
    const alone = mock.method(Socket.prototype, "_write");
    for (const text of ["one", "two", "three"]) {
      connection.publish(subject, text);
      await Promise.resolve();
    }
    await connection.flush();
    alone.mock.restore();
    expect(alone.mock.callCount()).to.equal(0);
    expect(heard).to.deep.equal(["one", "two", "three"]);
    await connection.close();
  });
});
