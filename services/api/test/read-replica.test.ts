import { once } from "node:events";
import { expect } from "chai";
import { pino } from "pino";
import { Registry } from "prom-client";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import { errorMessage } from "#shared/errors.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { Replica } from "../../../test/support/replica.ts";
import { HEALTH_VARIABLE, spawnService } from "../../../test/support/spawn-service.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { untilReady } from "../../../test/support/until-ready.ts";
import { until } from "../../../test/support/until.ts";
import { createApiMetrics } from "../api-metrics.ts";
import { loadApiConfig } from "../config.ts";
import { ReadReplica } from "../read-replica.ts";
import { SessionListResponse } from "../sessions/list-schemas.ts";
import { indexSessions } from "../sweeper/index-sessions.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

type Limits = ConstructorParameters<typeof ReadReplica>[0]["limits"];
const parseList = compileParser("list", SessionListResponse);
/** Long enough for a whole test, so that only what it does changes the source of a read. */
const LONG = { lagMs: 60_000, wroteMs: 60_000, everyMs: 40, restMs: 60_000 };

describe("the replica for lists", () => {
  const resources = new AsyncDisposableStack();
  const ending = new AbortController();
  const quiet = pino({ level: "silent" });
  let servers: BackingServers;
  let standby: Replica;

  before(async () => {
    servers = resources.use(await BackingServers.start({ migrated: true }));
    standby = resources.use(await Replica.start(servers));
  });
  after(async () => {
    ending.abort(new Error("the tests are over"));
    await resources.disposeAsync();
  });
  afterEach(() => standby.resumeReplay().catch(() => undefined));

  /** A replica with its log and its metrics. */
  function opener(url: string, limits: Limits = LONG) {
    const lines: string[] = [];
    const registry = new Registry();
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const metrics = createApiMetrics(registry);
    const open = (primary: Orm, signal: AbortSignal) =>
      new ReadReplica({ url, primary, log, metrics, signal, limits });
    const reads = async (source: string) => {
      const text = await registry.metrics();
      return Number(new RegExp(`replica_reads_total\\{source="${source}"\\} (\\d+)`, "u").exec(text)?.[1]);
    };
    return { open, lines, reads, registry };
  }

  /** An api whose lists come from the standby, with a key that only reads and one that writes. */
  async function start(limits?: Limits, url = standby.urlOf(servers.postgres.serviceUrls.api)) {
    const opened = opener(url, limits);
    const api = await ApiFixture.start({ servers, env: KEY_ACCESS, replica: opened.open });
    const reader = await api.keyOf("reader", ["operator"]);
    const writer = await api.keyOf("writer", ["operator"]);
    const ids = async (headers = reader, query = "") => {
      const { status, text } = await api.raw("GET", `/api/v1/sessions${query}`, { headers });
      expect(status, text).to.equal(200);
      return parseList(JSON.parse(text)).sessions.map(({ id }) => id);
    };
    const used = async () => {
      const before = await opened.reads("replica");
      await until("the replica is used", async () => {
        await ids();
        return (await opened.reads("replica")) > before;
      });
    };
    return { ...opened, api, reader, writer, ids, used };
  }

  it("answers lists, searches, filters and usage, and nothing else", async () => {
    const { api, reader, ids, used, reads, registry, lines } = await start();
    await using _api = api;
    const first = await seedSession(api.db, { alert: "first zebra" });
    await indexSessions(api.deps.db, ending.signal);
    await used();
    await until("the standby has the first session", async () =>
      (await ids(reader, "?search=zebra")).includes(first),
    );
    await standby.pauseReplay();
    const second = await seedSession(api.db, { alert: "second zebra", alertType: "only-here" });
    await indexSessions(api.deps.db, ending.signal);
    const before = await reads("replica");
    expect(await ids())
      .to.include(first)
      .and.not.include(second);
    expect(await ids(reader, "?search=zebra")).to.deep.equal([first]);
    const hour = 3_600_000;
    const [from, to] = [-hour, hour].map((ms) => new Date(Date.now() + ms).toISOString());
    const window = `start_date=${from}&end_date=${to}`;
    for (const path of ["/sessions/filter-options", `/usage/summary?${window}`, `/usage/days?${window}`]) {
      const { status, text } = await api.raw("GET", `/api/v1${path}`, { headers: reader });
      expect(status, path).to.equal(200);
      expect(text, path).to.not.include("only-here");
    }
    expect(await reads("replica")).to.equal(before + 5);
    const { status } = await api.raw("GET", `/api/v1/sessions/${second}`, { headers: reader });
    expect(status).to.equal(200);
    await standby.resumeReplay();
    await until("the standby has the second session", async () => (await ids()).includes(second));
    expect(Number(/^tarsy_api_replica_lag_seconds (\S+)/mu.exec(await registry.metrics())?.[1])).to.be.within(
      0,
      60,
    );
    expect(lines.join("")).to.include("lists are read from the replica of the database");
  });

  it("shows callers what they have written themselves", async () => {
    const { api, writer, ids, used, reads } = await start();
    await using _api = api;
    await used();
    await standby.pauseReplay();
    // A ticket for a socket, which each page takes, is no write.
    const ticket = await api.raw("POST", "/api/v1/ws-ticket", { headers: writer });
    expect(ticket.status).to.equal(201);
    await ids(writer);
    expect(await reads("wrote")).to.equal(0);
    const headers = { ...writer, "content-type": "application/json" };
    const answer = await api.raw("POST", "/api/v1/alerts", { headers, body: Buffer.from('{"data":"mine"}') });
    expect(answer.status, answer.text).to.equal(202);
    const id = /"session_id":"([^"]+)"/u.exec(answer.text)?.[1] ?? "";
    expect(await ids(writer)).to.include(id);
    expect(await reads("wrote")).to.equal(1);
    expect(await ids()).to.not.include(id);
  });

  it("is read again by a writer after a while", async () => {
    const { api, writer, ids, used, reads } = await start({ ...LONG, wroteMs: 100 });
    await using _api = api;
    await used();
    await api.raw("DELETE", `/api/v1/sessions/${crypto.randomUUID()}`, { headers: writer });
    const before = await reads("replica");
    await until("the writer reads the replica", async () => {
      await ids(writer);
      return (await reads("replica")) > before;
    });
  });

  it("is left alone while it lags, also while the primary rests", async () => {
    const { api, ids, used, reads, lines } = await start({ ...LONG, lagMs: 300 });
    await using _api = api;
    await used();
    await standby.pauseReplay();
    const id = await seedSession(api.db);
    await until("the list has what the standby has not", async () => (await ids()).includes(id));
    const behind = await reads("behind");
    expect(behind).to.be.greaterThan(0);
    expect(await ids()).to.include(id);
    expect(await reads("behind")).to.equal(behind + 1);
    // The next comparison of the servers logs it.
    await until("it is logged", () =>
      lines.join("").includes("lists are read from the primary: the replica cannot be used"),
    );
    await standby.resumeReplay();
    await used();
  });

  it("is replaced by the primary where a read fails there, and rests then", async () => {
    const { open, reads, lines } = opener(standby.urlOf(servers.postgres.serviceUrls.api));
    await using stack = new AsyncDisposableStack();
    const primary = stack.use(openPrimary(servers.postgres.serviceUrls.api));
    const stopping = new AbortController();
    const replica = stack.use(open(primary, stopping.signal));
    stack.defer(() => stopping.abort(new Error("the test is over")));
    const identity = { subject: "s", name: "s", roles: ["viewer" as const], teams: [], via: "key" as const };
    const read = async (sql: string) => {
      const asked: Orm[] = [];
      const rows = await replica
        .read({ identity, peer: undefined }, async (from) => {
          asked.push(from);
          return from.query(sql);
        })
        .catch((error: unknown) => error);
      return { rows, primaries: asked.map((from) => from === primary) };
    };
    await until("the replica is used", async () => !(await read("SELECT 1")).primaries.includes(true));
    // It would take as long on the primary.
    const slow = await read("SET statement_timeout = 20; SELECT pg_sleep(10)");
    expect(slow.primaries).to.deep.equal([false]);
    expect(slow.rows).to.include({ code: "57014" });
    // No standby answers this.
    const failed = await read("SELECT pg_current_wal_lsn()");
    expect(failed.primaries).to.deep.equal([false, true]);
    expect(failed.rows).to.be.an("array").with.lengthOf(1);
    expect(await reads("failed")).to.equal(1);
    expect(lines.join("")).to.include("recovery is in progress");
    expect((await read("SELECT 1")).primaries).to.deep.equal([true]);
  });

  for (const [what, url, reason] of [
    ["is away", async () => `postgres://x:y@127.0.0.1:${await testPort()}/tarsy`, "ECONNREFUSED"],
    ["is the primary", () => servers.postgres.serviceUrls.api, "does not lead to a standby"],
    [
      "is another database",
      () => standby.urlOf(servers.postgres.serviceUrls.api).replace(/tarsy$/u, "postgres"),
      "no replica of this primary",
    ],
  ] as const) {
    it(`that ${what} leaves the lists to the primary, and is named in the log`, async () => {
      const { api, ids, lines, reads } = await start(LONG, await url());
      await using _api = api;
      const id = await seedSession(api.db);
      await until("the log has the reason", () => lines.join("").includes(reason));
      expect(await ids()).to.include(id);
      expect(await reads("replica")).to.equal(0);
      expect(await reads("behind")).to.equal(1);
    });
  }

  it("that follows the primary before a failover is none of the new one", async () => {
    await using stack = new AsyncDisposableStack();
    const proxy = stack.use(
      await TcpProxy.start({ host: "127.0.0.1", port: Number(new URL(servers.postgres.adminUrl).port) }),
    );
    const next = stack.use(await Replica.start(servers, { primaryPort: proxy.port }));
    proxy.blackhole(true);
    // What the next primary has not, and the standby has.
    await standby.query(
      "SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000000), true)",
      servers.postgres.adminUrl,
    );
    await next.promote();
    const primary = stack.use(openPrimary(next.urlOf(servers.postgres.serviceUrls.api)));
    const { open, lines } = opener(standby.urlOf(servers.postgres.serviceUrls.api));
    const stopping = new AbortController();
    stack.use(open(primary, stopping.signal));
    stack.defer(() => stopping.abort(new Error("the test is over")));
    await until("the log has the reason", () => lines.join("").includes("no replica of this primary"));
  });

  it("is the one of DATABASE_READ_URL, which is checked at the start", async () => {
    const { path } = resources.use(await testConfigDirectory());
    const [port, healthPort] = [await testPort(), await testPort()];
    const env = {
      DATABASE_URL: servers.postgres.serviceUrls.api,
      DATABASE_READ_URL: standby.urlOf(servers.postgres.serviceUrls.api),
      ...servers.natsEnvironment("api"),
      CONFIG_DIR: path,
      API_PORT: `${port}`,
      [HEALTH_VARIABLE.api]: `${healthPort}`,
    };
    const malformed = "environment variable DATABASE_READ_URL names several hosts";
    const refused = loadApiConfig({ ...env, DATABASE_READ_URL: "postgres://u:secret@a,b/tarsy" });
    const message = await refused.then(() => "", errorMessage);
    expect(message).to.include(malformed).and.not.include("secret");
    expect((await loadApiConfig({ ...env, DATABASE_READ_URL: "" })).databaseReadUrl).to.equal(undefined);
    const child = spawnService({ name: "api", env, output: "ignore" });
    await untilReady("api", child, healthPort);
    await until("the standby answers", async () => {
      await fetch(`http://127.0.0.1:${port}/api/v1/sessions`);
      const metrics = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
      return /replica_reads_total\{source="replica"\} [1-9]/u.test(await metrics.text());
    });
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
    expect(child.exitCode).to.equal(0);
  });

  it("that is killed costs no list", async () => {
    const { api, ids, used, reads, lines } = await start();
    await using _api = api;
    await used();
    await standby.kill();
    await until("the primary answers", async () => {
      await ids();
      return (await reads("failed")) + (await reads("behind")) > 0;
    });
    expect(lines.join("")).to.include("lists are read from the primary: the replica cannot be used");
  });

  function openPrimary(url: string): Orm {
    return new Orm({ url, applicationName: "primary", poolSize: 1, log: quiet, signal: ending.signal });
  }
});
