import { expect } from "chai";
import { pino } from "pino";
import type { MigrationInterface, QueryRunner } from "typeorm";
import { baselineHash, baselineTables } from "#shared/database/schema/baseline-sql.ts";
import { migrate } from "#shared/database/schema/migrate.ts";
import { MIGRATIONS } from "#shared/database/schema/migrations/all-migrations.ts";
import { openForMigrations } from "#shared/database/connection/open-orm.ts";
import { pastFunctions } from "#shared/database/past/past-triggers.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { BASELINE_HASH, BASELINE_TABLES, pastTriggersSql } from "#shared/generated/baseline.ts";
import { projectRoot } from "../../../launcher/prepare.mjs";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { frozenBaseline } from "../../../scripts/write-baseline.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();
const TABLES = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;

/** What `migrate` adds to the declared tables is left out: TypeORM's own table, and the triggers of the past. */
const CATALOG = `
SELECT * FROM (
  SELECT table_name || '.' || column_name AS name, data_type || ' ' || udt_name || ' ' || is_nullable || ' ' ||
         coalesce(numeric_precision || ',' || numeric_scale, '') AS what,
         coalesce(column_default, generation_expression, identity_generation) AS how
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT conrelid::regclass || '.' || conname, contype::text, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT tablename || '.' || indexname, 'index', indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT tgrelid::regclass || '.' || tgname, 'trigger', pg_get_triggerdef(oid)
  FROM pg_trigger WHERE NOT tgisinternal AND tgname !~ '_(keep_change|keep_insert|number_past|forget)$'
) AS catalog WHERE name !~ '^schema_migrations[.]' ORDER BY name, what`;

describe("the schema", () => {
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const empty = async (): Promise<Database> => fixture.connect(await fixture.emptyDatabase());

  describe("migrate", () => {
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

    it("ends in the tables that are declared, with every column, default, constraint and index", async () => {
      const [migrated, declared] = [await empty(), await empty()];
      await migrate(migrated, log);
      await declared.query(baselineTables());
      const [schema, expected] = [await migrated.query(CATALOG), await declared.query(CATALOG)];
      expect(schema).to.have.length.above(700);
      expect(schema).to.deep.equal(expected);
    });

    it("keeps the past with the functions that its tables declare", async () => {
      const db = await empty();
      await migrate(db, log);
      const sources = async (): Promise<unknown> =>
        db.query(
          "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname",
        );
      const migrated = await sources();
      for (const declared of pastFunctions(`"public"`)) await db.query(declared);
      expect(await sources()).to.deep.equal(migrated);
    });

    it("begins with a baseline that has the hash of its statements, which is frozen once it is released", async () => {
      expect(baselineHash(BASELINE_TABLES, pastTriggersSql)).to.equal(BASELINE_HASH);
      const frozen = await frozenBaseline(projectRoot);
      expect(frozen ?? BASELINE_HASH, "0.1.0 is released: write a migration instead").to.equal(BASELINE_HASH);
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

  describe("another baseline", () => {
    const refusals = async (db: Database): Promise<readonly string[]> =>
      Promise.all(
        [migrate(db, log), waitForSchema(db, "api", log, signal)].map(async (one) => rejectionOf(one)),
      );
    const rename = async (name: string): Promise<Database> => {
      const db = await empty();
      await migrate(db, log);
      await db.query("UPDATE schema_migrations SET name = $1", [name]);
      return db;
    };

    it("is refused by its hash, with the way out, and nothing is changed", async () => {
      const db = await rename("Baseline_0123456789abcdef_0000000000001");
      for (const refusal of await refusals(db)) {
        expect(refusal)
          .to.include(`baseline 0123456789abcdef, and this version has ${BASELINE_HASH}`)
          .and.include("a new, empty database")
          .and.include("git log -S 0123456789abcdef shared/generated/baseline.ts");
      }
      expect(await db.query("SELECT count(*)::int AS n FROM schema_migrations")).to.deep.equal([{ n: 1 }]);
    });

    it("of before the first release is refused with the last commit for it", async () => {
      for (const refusal of await refusals(await rename("Initial0000000000001"))) {
        expect(refusal)
          .to.include("a new, empty database")
          .and.match(/the last commit for this one, e010a46d[0-9a-f]{32}$/u);
      }
    });
  });

  describe("migrate beside running services", () => {
    it("repeats a migration that was the victim of a deadlock", async () => {
      const url = await fixture.emptyDatabase();
      const db = await fixture.connect(url);
      await migrate(db, log);
      const admin = new URL(fixture.servers.postgres.adminUrl);
      admin.pathname = new URL(url).pathname;
      const service = await openForMigrations(admin.href, log);
      const runner = service.createQueryRunner();
      await runner.startTransaction();
      // Only a superuser may set it: the server looks for a deadlock when the migration waits, so that is the victim.
      await runner.query("SET LOCAL deadlock_timeout = '10min'");
      await runner.query("UPDATE session_runtime SET last_seq = last_seq");
      const lines: string[] = [];
      const recordingLog = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
      const migrating = migrate(db, recordingLog, [...MIGRATIONS, LockBoth]);
      migrating.catch(() => undefined);
      await until("the migration waits for the service", async () => {
        const waiting: unknown = await db.query(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'",
        );
        return JSON.stringify(waiting) !== "[]";
      });
      await runner.query("UPDATE alert_sessions SET author = author");
      await runner.rollbackTransaction();
      await service.destroy();
      await migrating;
      expect(lines.join()).to.include("migration deadlocked with a running service: repeating it");
      const names = "SELECT name FROM schema_migrations WHERE name LIKE 'LockBoth%'";
      expect(await db.query(names)).to.have.length(1);
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

/** Locks what every service writes, in the order of the services. */
class LockBoth implements MigrationInterface {
  readonly name = "LockBoth0000000000002";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("LOCK TABLE alert_sessions; LOCK TABLE session_runtime");
  }

  async down(): Promise<void> {}
}
