import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect } from "chai";
import { pino } from "pino";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { listen } from "#shared/service/listen.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

const silent = pino({ level: "silent" });
const { signal } = new AbortController();

describe("the pool of connections to Postgres", () => {
  const resources = new AsyncDisposableStack();
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = resources.use(await DatabaseFixture.start());
  });
  after(() => resources.disposeAsync());

  const open = async (more: {
    poolSize: number;
    url?: string;
    queueTimeoutMs?: number;
    log?: pino.Logger;
  }): Promise<Database> =>
    resources.use(
      await openDatabase({
        url: fixture.servers.postgres.url,
        applicationName: "pool-test",
        log: silent,
        signal,
        ...more,
      }),
    );
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it("lets a statement wait longer than a connection may take to open", async () => {
    const db = await open({ poolSize: 1 });
    let waiting: Promise<unknown> = Promise.resolve();
    await db.transaction(async (manager) => {
      waiting = db.query("SELECT 1 AS n");
      // Two statements, because one may take 5 s.
      for (let n = 0; n < 2; n += 1) await manager.query("SELECT pg_sleep(3)");
    });
    expect(await waiting).to.deep.equal([{ n: 1 }]);
  });

  it("fails a statement as unavailable when it has waited for the limit", async () => {
    // The limit includes the time of the first connection.
    const db = await open({ poolSize: 1, queueTimeoutMs: 5_000 });
    await db.transaction(async () => {
      expect(isDatabaseUnavailable(await failureOf(db.query("SELECT 1")))).to.equal(true);
    });
    expect(await db.query("SELECT 2 AS n")).to.deep.equal([{ n: 2 }]);
  });

  it("gives up a server that accepts the connection and stays silent, before the queue's limit", async () => {
    const { hostname, port } = new URL(fixture.servers.postgres.url);
    const mute = createServer((socket) => socket.resume());
    await listen(mute, { host: "127.0.0.1", port: 0 });
    const address = mute.address();
    const silentPort = address !== null && typeof address === "object" ? address.port : 0;
    let target = Number(port);
    const proxy = resources.use(await TcpProxy.start({ host: hostname, port: () => target }));
    const url = new URL(fixture.servers.postgres.url);
    url.port = String(proxy.port);
    const db = await open({ poolSize: 2, url: url.href, queueTimeoutMs: 600_000 });
    await db.transaction(async () => {
      target = silentPort;
      const error = await failureOf(db.query("SELECT 1"));
      expect(isDatabaseUnavailable(error), String(error)).to.equal(true);
      target = Number(port);
    });
    await until("it is used again", async () => (await db.query("SELECT 1")) !== undefined);
    mute.close();
    await once(mute, "close");
  });

  it("dials again an address that does not answer, instead of waiting for the kernel to", async () => {
    // Accepts nothing while it is stopped: once its queue is full, the kernel drops what asks for a connection.
    const forward = `
      const net = require("node:net");
      const server = net.createServer((a) => {
        const b = net.connect(${new URL(fixture.servers.postgres.url).port}, "127.0.0.1");
        for (const [from, to] of [[a, b], [b, a]]) from.on("error", () => to.destroy()).pipe(to);
      });
      server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ["-e", forward], { stdio: ["ignore", "pipe", "inherit"] });
    resources.defer(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")).map(String);
    const url = new URL(fixture.servers.postgres.url);
    url.port = line?.trim() ?? "";
    child.kill("SIGSTOP");
    let queued = 0;
    for (let n = 0; n < 4; n += 1) {
      const socket = connect(Number(url.port), "127.0.0.1").on("error", () => undefined);
      socket.once("connect", () => (queued += 1));
      resources.defer(() => void socket.destroy());
    }
    // The kernel keeps one more than the backlog.
    await until("the queue is full", () => queued === 2);
    let dials = 0;
    const failures: string[] = [];
    const log = pino({ level: "warn" }, { write: (failure: string) => void failures.push(failure) });
    const count = () => void (dials += 1);
    subscribe("net.client.socket", count);
    try {
      const opening = open({ poolSize: 1, url: url.href, log });
      await until("it is dialled again", () => dials > 1);
      // The kernel would have reported the first dial as failed before.
      expect(failures).to.deep.equal([]);
      child.kill("SIGCONT");
      expect(await (await opening).query("SELECT 1 AS n")).to.deep.equal([{ n: 1 }]);
    } finally {
      unsubscribe("net.client.socket", count);
    }
  });
});
