import { randomUUID } from "node:crypto";
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
      expect(above).to.have.length(16);
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
      await waitForSchema(db, log, signal);
    });

    it("is refused once it needs a migration that this version does not know", async () => {
      const db = await empty();
      await migrate(db, log);
      await db.query(`${NEWER}; UPDATE schema_support SET needs_migration = 99`);
      const refusal = "its schema needs a version that knows migration 99, and this one knows";
      expect(await rejectionOf(waitForSchema(db, log, signal))).to.include(refusal);
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
      const [waiting, migrating] = [await fixture.connect(url), await fixture.connect(url)];
      const lines: string[] = [];
      const recordingLog = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
      let isReady = false;
      const done = waitForSchema(waiting, recordingLog, new AbortController().signal).then(
        () => (isReady = true),
      );
      await until("it says what it waits for", () => lines.length === 1);
      expect(isReady).to.equal(false);
      await migrate(migrating, log);
      await done;
      await waitForSchema(waiting, recordingLog, new AbortController().signal);
      expect(lines).to.have.length(1);
    });

    it("stops waiting when its signal aborts, and creates nothing", async () => {
      const db = await empty();
      const stop = new AbortController();
      const waiting = waitForSchema(db, log, stop.signal);
      stop.abort(new Error("enough"));
      expect(await rejectionOf(waiting)).to.equal("enough");
      expect(await db.query(TABLES)).to.deep.equal([]);
    });
  });

  describe("the database", () => {
    let db: Database;

    before(async () => {
      db = await empty();
      await migrate(db, log);
    });

    const insert = async (columns: Record<string, unknown> = {}): Promise<string> => {
      const session_id = randomUUID();
      const row = {
        session_id,
        alert_data: "x",
        agent_type: "a",
        chain_id: "c",
        resolved_config: "{}",
        config_hash: "h",
        ...columns,
      };
      const names = Object.keys(row);
      const placeholders = names.map((_name, index) => `$${index + 1}`);
      await db.query(
        `INSERT INTO alert_sessions (${names.join(", ")}) VALUES (${placeholders.join(", ")})`,
        Object.values(row),
      );
      return session_id;
    };

    it("refuses a status it does not know, and an end that does not fit the status", async () => {
      expect(await rejectionOf(insert({ status: "done" }))).to.include(
        "invalid input value for enum session_status",
      );
      expect(await rejectionOf(insert({ status: "completed" }))).to.include("ended_means_terminal");
      expect(await rejectionOf(insert({ completed_at: new Date() }))).to.include("ended_means_terminal");
      await insert({ status: "completed", completed_at: new Date() });
    });

    it("indexes a mebibyte of different words", async () => {
      const words = Array.from({ length: 200_000 }, (_word, n) => `w${n.toString(36)}`).join(" ");
      const ended = { status: "completed", completed_at: new Date() };
      const text = words.slice(0, 1_048_576);
      await insert({ ...ended, alert_data: text, final_analysis: text });
      await insert({ ...ended, alert_data: "💾".repeat(262_144) });
      await insert({ ...ended, alert_data: "x".repeat(1_048_576) });
    });

    it("finds ended sessions by their text and time with indexes that have no unfinished ones", async () => {
      const indexes = await db.query(
        `SELECT indexname FROM pg_indexes WHERE tablename = 'alert_sessions' AND indexdef ~ 'IS NOT NULL\\)' ORDER BY 1`,
      );
      const names = ["alert_text", "analysis_text", "completed", "deleted"].map((name) => ({
        indexname: `alert_sessions_${name}`,
      }));
      expect(indexes).to.deep.equal(names);
      const plan = async (condition: string) =>
        db.transaction(async (transaction) => {
          await transaction.query("SET LOCAL enable_seqscan = off");
          return transaction.query(`EXPLAIN SELECT session_id FROM alert_sessions WHERE ${condition}`);
        });
      const words = "@@ plainto_tsquery('english', 'disk')";
      for (const [index, condition] of [
        [
          "alert_text",
          `to_tsvector('english', left(alert_data, 100000)) ${words} AND completed_at IS NOT NULL`,
        ],
        ["analysis_text", `to_tsvector('english', left(final_analysis, 100000)) ${words}`],
        ["completed", "deleted_at IS NULL AND completed_at < now() - interval '90 days'"],
      ] as const) {
        expect(JSON.stringify(await plan(condition))).to.include(`alert_sessions_${index}`);
      }
    });

    it("enforces which columns a message of each role has", async () => {
      const id = await insert();
      await db.query(
        "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $1, 's', 0, 1)",
        [id],
      );
      await db.query(
        `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
           iteration_state, llm_provider) VALUES ($1, $1, $1, 'a', 1, 'single-call', '{}', 'p')`,
        [id],
      );
      let number = 0;
      const message = async (
        role: string,
        content: string,
        rest: Record<string, string | null> = {},
      ): Promise<unknown> =>
        db.query(
          `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content,
             tool_calls, tool_call_id, tool_name) VALUES ($1, $2, $2, $2, $3, $4, $5, $6, $7, $8)`,
          [
            randomUUID(),
            id,
            ++number,
            role,
            content,
            rest["calls"] ?? null,
            rest["callId"] ?? null,
            rest["tool"] ?? null,
          ],
        );
      expect(await rejectionOf(message("assistant", ""))).to.include("content_or_calls");
      expect(await rejectionOf(message("user", "x", { calls: "[]" }))).to.include("calls_on_assistant");
      expect(await rejectionOf(message("tool", "x"))).to.include("result_on_tool");
      expect(await rejectionOf(message("tool", "x", { callId: "c" }))).to.include("result_on_tool");
      expect(await rejectionOf(message("user", "x", { callId: "c", tool: "t" }))).to.include(
        "result_on_tool",
      );
      expect(await rejectionOf(message("wizard", "x"))).to.include("message_role");
      await message("assistant", "", { calls: "[]" });
      await message("tool", "", { callId: "c", tool: "t" });
    });

    it("deletes a session's rows with the session", async () => {
      const id = await insert();
      await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [id]);
      await db.query("INSERT INTO events (session_id, seq, payload) VALUES ($1, 1, '{}')", [id]);
      const [stage, execution] = [randomUUID(), randomUUID()];
      await db.query(
        "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $2, 's', 0, 1)",
        [stage, id],
      );
      await db.query(
        `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
           iteration_state, llm_provider) VALUES ($1, $2, $3, 'a', 1, 'react', '{}', 'p')`,
        [execution, stage, id],
      );
      await db.query(
        `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content)
         VALUES ($1, $2, $3, $4, 1, 'user', 'x')`,
        [randomUUID(), id, stage, execution],
      );
      await db.query("DELETE FROM alert_sessions WHERE session_id = $1", [id]);
      expect(await db.query("SELECT 1 FROM messages WHERE session_id = $1", [id])).to.deep.equal([]);
      expect(await db.query("SELECT 1 FROM events WHERE session_id = $1", [id])).to.deep.equal([]);
      expect(await db.query("SELECT 1 FROM session_runtime WHERE session_id = $1", [id])).to.deep.equal([]);
    });

    it("indexes no column that changes with every heartbeat", async () => {
      expect(
        await db.query("SELECT indexname FROM pg_indexes WHERE tablename = 'session_runtime' ORDER BY 1"),
        // The first is on session_id, and only the purge changes its condition.
      ).to.deep.equal([{ indexname: "session_runtime_not_purged" }, { indexname: "session_runtime_pkey" }]);
    });

    it("returns int8 as a number", async () => {
      expect(await db.query("SELECT 9007199254740991::int8 AS n")).to.deep.equal([
        { n: Number.MAX_SAFE_INTEGER },
      ]);
    });
  });
});

/** Undoes the migrations after the first ones. */
async function undoAfter({ url }: Database, first: number): Promise<void> {
  const orm = await openForMigrations(url, log);
  for (const _ of MIGRATIONS.slice(first)) await orm.undoLastMigration({ transaction: "each" });
  await orm.destroy();
}
