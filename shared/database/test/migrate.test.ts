import { expect } from "chai";
import { pino } from "pino";
import { migrate } from "#shared/database/migrate.ts";
import { MIGRATIONS } from "#shared/database/migrations/all-migrations.ts";
import { openForMigrations, openOrm } from "#shared/database/open-orm.ts";
import { waitForSchema } from "#shared/database/wait-for-schema.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();
const TABLES = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;

describe("the schema", () => {
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const empty = async (): Promise<Database> => fixture.connect(await fixture.emptyDatabase());

  describe("migrate", () => {
    it("goes up, down and up again, and leaves nothing behind when down", async () => {
      const db = await empty();
      await migrate(db, log);
      const above: unknown = await db.query(TABLES);
      expect(above).to.have.length(54);
      await undoAfter(db, 0);
      expect(await db.query(TABLES)).to.deep.equal([{ table_name: "schema_migrations" }]);
      expect(await db.query("SELECT typname FROM pg_type WHERE typtype = 'e'")).to.deep.equal([]);
      await migrate(db, log);
      expect(await db.query(TABLES)).to.deep.equal(above);
    });

    it("migrates once when replicas start together", async () => {
      const url = await fixture.emptyDatabase();
      const replicas = await Promise.all([1, 2, 3].map(async () => fixture.connect(url)));
      await Promise.all(replicas.map(async (db) => migrate(db, log)));
      const [db] = replicas;
      const n = MIGRATIONS.length;
      expect(await db?.query("SELECT count(*)::int AS n FROM schema_migrations")).to.deep.equal([{ n }]);
    });

    it("releases its lock and leaves the timeouts as they were", async () => {
      const db = await empty();
      await migrate(db, log);
      await migrate(db, log);
      expect(await db.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")).to.deep.equal([]);
      expect(await db.query("SHOW statement_timeout")).to.deep.equal([{ statement_timeout: "5s" }]);
      expect(await db.query("SHOW lock_timeout")).to.deep.equal([{ lock_timeout: "3s" }]);
    });

    it("matches the entities in every table, column and type", async () => {
      const db = await empty();
      await migrate(db, log);
      const orm = await openOrm({ url: db.url, applicationName: "migrate-test", poolSize: 1, log, signal });
      const { upQueries } = await orm.driver.createSchemaBuilder().log();
      await orm.destroy();
      // Constraints and indexes are in the migrations only; the entities have only columns.
      const drift = upQueries
        .map(({ query }) => query)
        .filter((query) => !/^(?:ALTER TABLE "\w+" DROP CONSTRAINT|DROP INDEX) /u.test(query));
      expect(drift).to.deep.equal([]);
    });
  });

  describe("a schema of a newer version", () => {
    const NEWER = "INSERT INTO schema_migrations (timestamp, name) VALUES (99, 'Newer0000000000099')";
    it("is used as long as it only added something", async () => {
      const db = await empty();
      await migrate(db, log);
      await db.query(NEWER);
      await migrate(db, log);
      await waitForSchema(db, "api", log, signal);
    });

    it("is refused once it needs a migration that this version does not know", async () => {
      const db = await empty();
      await migrate(db, log);
      await db.query(`${NEWER}; UPDATE schema_support SET needs_migration = 99`);
      const refusal = "its schema needs a version that knows migration 99, and this one knows";
      expect(await rejectionOf(waitForSchema(db, "api", log, signal))).to.include(refusal);
      expect(await rejectionOf(migrate(db, log))).to.include(refusal);
      const locks = async (): Promise<unknown> =>
        db.query(
          "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        );
      await until("the lock is free", async () => JSON.stringify(await locks()) === "[]");
      await db.query("UPDATE schema_support SET needs_migration = 1");
      await migrate(db, log);
    });
  });

  describe("migrate beside running services", () => {
    /** Migrates while a service writes to both tables in one transaction, to the second one once the migration waits. */
    const migrateBeside = async (first: string, second: string): Promise<unknown> => {
      const url = await fixture.emptyDatabase();
      const [db, service] = [await fixture.connect(url), await openForMigrations(url, log)];
      await migrate(db, log);
      await undoAfter(db, 2);
      const runner = service.createQueryRunner();
      await runner.startTransaction();
      await runner.query(first);
      const migrating = migrate(db, log);
      migrating.catch(() => undefined);
      await until("the migration waits for the service", async () => {
        const waiting: unknown = await db.query(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'",
        );
        return JSON.stringify(waiting) !== "[]";
      });
      const written = await rejectionOf(runner.query(second)).catch(() => "written");
      await runner.rollbackTransaction();
      await service.destroy();
      await migrating;
      return written;
    };
    const SESSIONS = "UPDATE alert_sessions SET author = author";
    const RUNTIME = "UPDATE session_runtime SET last_seq = last_seq";

    it("locks tables in the order of the services, alert_sessions before session_runtime", async () => {
      expect(await migrateBeside(SESSIONS, RUNTIME)).to.equal("written");
    });

    it("repeats a migration that was the victim of a deadlock", async () => {
      await migrateBeside(RUNTIME, SESSIONS);
    });
  });

  describe("waitForSchema", () => {
    it("waits until another process has migrated", async () => {
      const url = await fixture.emptyDatabase();
      const role = new URL(fixture.servers.postgres.serviceUrls.api);
      role.pathname = new URL(url).pathname;
      const [waiting, migrating] = [await fixture.connect(role.href), await fixture.connect(url)];
      const lines: string[] = [];
      const recordingLog = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
      let isReady = false;
      const done = waitForSchema(waiting, "api", recordingLog, new AbortController().signal).then(
        () => (isReady = true),
      );
      await until("it says what it waits for", () => lines.length === 1);
      expect(isReady).to.equal(false);
      await migrate(migrating, log);
      await done;
      await waitForSchema(waiting, "api", recordingLog, new AbortController().signal);
      expect(lines).to.have.length(1);
    });

    it("waits for the privileges of its role, too", async () => {
      const url = await fixture.emptyDatabase();
      const role = new URL(fixture.servers.postgres.serviceUrls.notifier);
      role.pathname = new URL(url).pathname;
      const owner = await fixture.connect(url);
      await migrate(owner, log);
      await owner.query("REVOKE SELECT ON events FROM tarsy_notifier");
      const waitedFor: string[] = [];
      const recordingLog = pino({ level: "info" }, { write: (line: string) => waitedFor.push(line) });
      const done = waitForSchema(await fixture.connect(role.href), "notifier", recordingLog, signal);
      await until("it says what it waits for", () => waitedFor.length === 1);
      expect(waitedFor[0]).to.include("SELECT on events for tarsy_notifier").and.include("npm run migrate");
      await migrate(owner, log);
      await done;
    });

    it("warns once of a connection that may do everything", async () => {
      const warned = async (url: string) => {
        const lines: string[] = [];
        const recordingLog = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
        await waitForSchema(await fixture.connect(url), "api", recordingLog, signal);
        return lines;
      };
      const { url, serviceUrls, adminUrl } = fixture.servers.postgres;
      await fixture.migrated();
      const admin = new URL(adminUrl);
      admin.pathname = new URL(url).pathname;
      expect(await warned(serviceUrls.api)).to.deep.equal([]);
      for (const [powerful, what] of [
        [url, "as tarsy, the owner of its tables"],
        [admin.href, "as postgres, a superuser"],
      ] as const) {
        const lines = await warned(powerful);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include(what).and.include("tarsy_api");
      }
    });

    it("stops waiting when its signal aborts, and creates nothing", async () => {
      const db = await empty();
      const stop = new AbortController();
      const waiting = waitForSchema(db, "api", log, stop.signal);
      stop.abort(new Error("enough"));
      expect(await rejectionOf(waiting)).to.equal("enough");
      expect(await db.query(TABLES)).to.deep.equal([]);
    });
  });
});

/** Undoes the migrations after the first ones. */
async function undoAfter({ url }: Database, first: number): Promise<void> {
  const orm = await openForMigrations(url, log);
  for (const _ of MIGRATIONS.slice(first)) await orm.undoLastMigration({ transaction: "each" });
  await orm.destroy();
}
