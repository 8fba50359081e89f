import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { pino } from "pino";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { listen } from "#shared/service/listen.ts";
import { freePort } from "../../../launcher/free-port.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

const BACKENDS =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'database-test'";

describe("isDatabaseUnavailable", () => {
  let fixture: DatabaseFixture;
  let db: Database;

  before(async () => {
    fixture = await DatabaseFixture.start({ ownServers: true });
    db = await fixture.connect();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** The error that `work` rejects with; undefined if it resolves. */
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const expectUnavailable = (error: unknown) => {
    expect(error).to.be.an("error");
    expect(isDatabaseUnavailable(error), String(error)).to.equal(true);
    expect(isDatabaseRetryable(error), String(error)).to.equal(true);
    expect(isDatabaseSlow(error), String(error)).to.equal(false);
  };

  it("is false for errors that a retry cannot help", async () => {
    for (const sql of [
      "SELECT nonsense",
      "SELECT 1/0",
      "SELECT 'x'::int",
      "INSERT INTO nowhere VALUES (1)",
    ]) {
      const error = await failureOf(db.query(sql));
      expect(error).to.be.an("error");
      expect(isDatabaseUnavailable(error), sql).to.equal(false);
      expect(isDatabaseRetryable(error), sql).to.equal(false);
    }
    expect(isDatabaseUnavailable("text")).to.equal(false);
    expect(isDatabaseUnavailable(undefined)).to.equal(false);
  });

  it("is true for a connection that is cut under a statement", async () => {
    const sleeping = failureOf(db.query("SELECT pg_sleep(60)"));
    await until("it runs", async () => {
      const rows = await fixture.servers.query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'database-test' AND query LIKE '%pg_sleep(60)%' AND state = 'active'",
        [],
      );
      return rows.length > 0;
    });
    await fixture.servers.query(BACKENDS, []);
    expectUnavailable(await sleeping);
  });

  it("is true for a connection that is cut in mid-transaction", async () => {
    const error = await failureOf(
      db.transaction(async (manager) => {
        await manager.query("SELECT 1");
        await fixture.servers.query(BACKENDS, []);
        // The cut is noticed by the next statements, at the latest by the commit.
        for (let n = 0; n < 10; n++) await manager.query("SELECT 1");
      }),
    );
    expectUnavailable(error);
  });

  it("is false for a statement timeout and for a lock timeout, which are slowness", async () => {
    const expectSlow = (error: unknown) => {
      expect(error).to.be.an("error");
      expect(isDatabaseSlow(error), String(error)).to.equal(true);
      expect(isDatabaseUnavailable(error), String(error)).to.equal(false);
      expect(isDatabaseRetryable(error), String(error)).to.equal(true);
    };
    expectSlow(
      await failureOf(
        db.transaction(async (manager) => {
          await manager.query("SET LOCAL statement_timeout = 50");
          await manager.query("SELECT pg_sleep(60)");
        }),
      ),
    );
    await db.query("CREATE TABLE busy AS SELECT 1 AS n");
    await db.transaction(async (holder) => {
      await holder.query("UPDATE busy SET n = 2");
      const error = await failureOf(
        db.transaction(async (manager) => {
          await manager.query("SET LOCAL lock_timeout = 50");
          await manager.query("UPDATE busy SET n = 3");
        }),
      );
      expectSlow(error);
    });
  });

  it("is true for a deadlock", async () => {
    await db.query("CREATE TABLE pair AS SELECT n FROM generate_series(1, 2) AS n");
    const bothHold = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const cross = async (own: number, other: number) =>
      failureOf(
        db.transaction(async (manager) => {
          await manager.query("UPDATE pair SET n = n WHERE n = $1", [own]);
          bothHold[own - 1]?.resolve();
          await Promise.all(bothHold.map(async ({ promise }) => promise));
          await manager.query("UPDATE pair SET n = n WHERE n = $1", [other]);
        }),
      );
    const failures = (await Promise.all([cross(1, 2), cross(2, 1)])).filter((error) => error !== undefined);
    expect(failures).to.have.length(1);
    expectUnavailable(failures[0]);
  });

  it("is true while the server is down, and the pool recovers afterwards", async () => {
    await fixture.servers.stopPostgres();
    for (let n = 0; n < 5; n++) {
      expectUnavailable(await failureOf(db.query("SELECT 1")));
      expectUnavailable(
        await failureOf(db.transaction(async (manager): Promise<unknown> => manager.query("SELECT 1"))),
      );
    }
    await fixture.servers.restartPostgres();
    await until("it answers again", async () => {
      await db.query("SELECT 1");
      return true;
    });
  });
});

describe("openDatabase", () => {
  it("retries until its signal aborts, and logs no password", async () => {
    const port = await freePort("127.0.0.1");
    const lines: string[] = [];
    const recordingLog = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const stop = new AbortController();
    const url = `postgres://me:secret@127.0.0.1:${port}/tarsy`;
    const opening = openDatabase({
      url,
      applicationName: "x",
      poolSize: 1,
      log: recordingLog,
      signal: stop.signal,
    });
    const refused = rejectionOf(opening);
    await until("it has tried", () => lines.length > 0);
    expect(lines[0]).to.include(`Postgres at 127.0.0.1:${port} cannot be used`);
    expect(lines[0]).to.include("nothing listens there: check host and port");
    expect(lines.join("")).to.not.include("secret");
    // A server that is not Postgres.
    const server = createServer((socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await listen(server, { host: "127.0.0.1", port });
    await until("it goes on trying, and says what is new", () => lines.length > 1);
    stop.abort(new Error("enough"));
    expect(await refused).to.equal("enough");
    server.close();
    await once(server, "close");
  });
});
