import { expect } from "chai";
import { pino } from "pino";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { coerceError } from "#shared/errors.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();

describe("a Postgres connection whose link goes dead", () => {
  const resources = new AsyncDisposableStack();
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = resources.use(await DatabaseFixture.start());
  });
  after(() => resources.disposeAsync());

  const failureOf = async (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => new Error("it was answered"),
      (error: unknown) => coerceError(error),
    );
  const open = async (responseTimeoutMs?: number) => {
    const url = new URL(fixture.servers.postgres.url);
    // A connection used while the link is silent stays dead; later ones work again.
    const link = { isSilent: false };
    const decide = () => (link.isSilent ? "hold" : "forward");
    const tap = () => ({ fromClient: decide, fromServer: decide });
    const proxy = resources.use(await TcpProxy.start({ host: url.hostname, port: Number(url.port), tap }));
    url.port = String(proxy.port);
    const limit = responseTimeoutMs === undefined ? {} : { responseTimeoutMs };
    const db = resources.use(
      await openDatabase({
        url: url.href,
        applicationName: "silence",
        poolSize: 1,
        log,
        signal,
        ...limit,
      }),
    );
    return { link, db };
  };

  it("fails its statement as unavailable and is replaced", async () => {
    const { link, db } = await open(200);
    await db.query("SELECT 1");
    link.isSilent = true;
    const error = await failureOf(db.query("SELECT 2"));
    expect(error.message).to.equal("Postgres did not answer within 0.2 s: the connection was cut");
    expect(isDatabaseUnavailable(error)).to.equal(true);
    link.isSilent = false;
    expect(await db.query("SELECT 3 AS n")).to.deep.equal([{ n: 3 }]);
  });

  it("fails a transaction under way, whose connection is replaced too", async () => {
    const { link, db } = await open(200);
    const error = await failureOf(
      db.transaction(async (manager) => {
        await manager.query("SELECT $1::int", [1]);
        link.isSilent = true;
        await manager.query("SELECT $1::int", [2]);
      }),
    );
    expect(isDatabaseUnavailable(error)).to.equal(true);
    link.isSilent = false;
    expect(await db.query("SELECT $1::int AS n", [3])).to.deep.equal([{ n: 3 }]);
  });

  it("is noticed within the time an executor has left for another renewal, and after the server's own limit", async () => {
    const { link, db } = await open();
    const [setting]: unknown[] = await db.query(
      "SELECT setting::int AS ms FROM pg_settings WHERE name = 'statement_timeout'",
    );
    expect(setting).to.deep.equal({ ms: 5_000 });
    link.isSilent = true;
    const error = await failureOf(db.query("SELECT 1"));
    expect(error.message).to.include("within 7 s");
  });

  it("is left alone while the server answers in time, however many statements follow each other", async () => {
    const { db } = await open(1_000);
    const backend = "SELECT pg_backend_pid() AS pid";
    const before: unknown = await db.query(backend);
    for (let n = 0; n < 20; n++) await db.query("SELECT pg_sleep(0.1)");
    expect(await db.query(backend)).to.deep.equal(before);
  });
});
