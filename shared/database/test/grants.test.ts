import { expect } from "chai";
import { Client } from "pg";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { functionSignature } from "#shared/database/schema/apply-grants.ts";
import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import { privilegesOf, WITH_SESSION, type Privilege } from "#shared/database/tables/table.ts";
import { EVENTS } from "#shared/database/tables/events.ts";
import { OWNED_FUNCTIONS } from "#shared/database/functions/owned-functions.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import {
  DATABASE_SERVICES,
  SERVICE_ROLES,
  type DatabaseService,
} from "#shared/database/schema/service-roles.ts";
import { DatabaseFixture } from "./database-fixture.ts";
import type { Database } from "#shared/database/database.ts";

const DENIED = "42501";

const parseName = compileParser("name", Type.Object({ name: Type.String() }));
const parseColumn = compileParser(
  "column",
  Type.Object({ table: Type.String(), name: Type.String(), generated: Type.Boolean() }),
);

const TABLE_NAMES = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
const COLUMNS = `
SELECT table_name AS table, column_name AS name, identity_generation = 'ALWAYS' IS TRUE OR is_generated = 'ALWAYS' AS generated
FROM information_schema.columns WHERE table_schema = 'public'`;

/** Tables whose rows go with a row of another one. */
const CASCADES = `
SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
WHERE contype = 'f' AND confdeltype = 'c'`;
const parseCascade = compileParser("cascade", Type.Object({ from: Type.String(), to: Type.String() }));

describe("the privileges of the services' roles", () => {
  let fixture: DatabaseFixture;
  let db: Database;
  let columns: readonly { readonly table: string; readonly name: string; readonly generated: boolean }[];

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
    columns = await selectRows(db, parseColumn, COLUMNS, []);
  });
  after(() => fixture[Symbol.asyncDispose]());

  const names = async (sql: string): Promise<string[]> =>
    (await selectRows(db, parseName, sql, [])).map(({ name }) => name);

  it("are declared for every table, together with how its rows go", async () => {
    expect(ALL_TABLES.map(({ name }) => name)).to.have.members(await names(TABLE_NAMES));
  });

  it("come with rows that are deleted with their session where the declaration says so", async () => {
    const cascades = await selectRows(db, parseCascade, CASCADES, []);
    const forgotten = ALL_TABLES.filter(({ purge }) => purge === WITH_SESSION).map(({ name }) => name);
    const leadsToSession = (table: string): boolean =>
      ["alert_sessions", ...forgotten].includes(table) ||
      cascades.some(({ from, to }) => from === table && leadsToSession(to));
    for (const { name, purge } of ALL_TABLES) {
      if (purge.kind === "session") expect(leadsToSession(name), name).to.equal(true);
      else if (purge.kind === "kept") expect(leadsToSession(name), name).to.equal(false);
    }
  });

  for (const service of DATABASE_SERVICES) {
    it(`let ${service} do what is declared with each table, and nothing else`, async () => {
      await using role = await connectAs(fixture, service);
      const tried: string[] = [];
      const done: string[] = [];
      for (const table of ALL_TABLES) {
        const declared = privilegesOf(table, service);
        for (const [what, sql, isDeclared] of attempts(table.name, declared, columns)) {
          if (isDeclared) tried.push(what);
          if (await role.may(sql)) done.push(what);
        }
      }
      expect(tried.length).to.be.greaterThan(5);
      expect(done).to.deep.equal(tried);
    });

    it(`let ${service} create and change nothing`, async () => {
      await using role = await connectAs(fixture, service);
      for (const sql of [
        "CREATE TABLE public.mine ()",
        "CREATE TEMPORARY TABLE mine ()",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE DATABASE mine",
        "CREATE ROLE mine",
        "SET ROLE tarsy",
        "ALTER FUNCTION tarsy_remove_session(uuid, integer) RESET ALL",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/passwd')",
      ]) {
        expect(await role.may(sql), sql).to.equal(false);
      }
    });
  }

  it("let no role update or delete events", () => {
    const actions = DATABASE_SERVICES.flatMap((service) => privilegesOf(EVENTS, service)).map(
      ({ action }) => action,
    );
    expect([...new Set(actions)]).to.have.members(["select", "insert"]);
  });

  it("give a new table to no role", async () => {
    await db.query("CREATE TABLE unknown_yet (id int)");
    for (const service of DATABASE_SERVICES) {
      await using role = await connectAs(fixture, service);
      for (const sql of ["SELECT FROM unknown_yet", "DELETE FROM unknown_yet"]) {
        expect(await role.may(sql), `${service}: ${sql}`).to.equal(false);
      }
    }
    await db.query("DROP TABLE unknown_yet");
  });

  it("are taken back by the next migrate where someone has given more", async () => {
    await db.query("GRANT DELETE ON events TO tarsy_api; GRANT UPDATE (payload) ON events TO tarsy_notifier");
    await fixture.migrated();
    for (const service of ["api", "notifier"] as const) {
      await using role = await connectAs(fixture, service);
      expect(await role.may("DELETE FROM events WHERE false")).to.equal(false);
      expect(await role.may("UPDATE events SET payload = NULL WHERE false")).to.equal(false);
    }
  });

  describe("the functions of the owner", () => {
    /** A trigger cannot be called. */
    const FUNCTIONS = `
      SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

    it("are those that are declared, with a fixed search path and for no role by default", async () => {
      const declared = OWNED_FUNCTIONS.map((owned) => functionSignature(owned).replaceAll(", ", ","));
      expect(await names(FUNCTIONS)).to.have.members(declared);
      const unsafe = await names(`${FUNCTIONS} AND (NOT prosecdef
        OR proconfig IS DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp']
        OR has_function_privilege('public', p.oid, 'EXECUTE'))`);
      expect(unsafe).to.deep.equal([]);
    });

    it("can be called by those for whom they are declared", async () => {
      for (const owned of OWNED_FUNCTIONS) {
        for (const service of DATABASE_SERVICES) {
          const [row] = await selectRows(
            db,
            compileParser("privilege", Type.Object({ may: Type.Boolean() })),
            "SELECT has_function_privilege($1, $2, 'EXECUTE') AS may",
            [SERVICE_ROLES[service], functionSignature(owned)],
          );
          expect(row?.may, `${service} on ${owned.name}`).to.equal(owned.execute.includes(service));
        }
      }
    });

    it("do not purge what is younger than a day, whatever the caller says", async () => {
      const id = await fixture.insertSession(db);
      await db.query(
        `UPDATE alert_sessions SET status = 'completed', completed_at = now() - interval '1 hour' WHERE session_id = $1`,
        [id],
      );
      await db.query("UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1", [id]);
      await db.query(
        "INSERT INTO events (session_id, seq, payload, created_at) VALUES ($1, 1, '{}', now() - interval '1 hour')",
        [id],
      );
      await using role = await connectAs(fixture, "api");
      await role.query("SELECT tarsy_purge_events(-1000, 500), tarsy_purge_events(0, 500)");
      expect(await db.query("SELECT 1 AS kept FROM events WHERE session_id = $1", [id])).to.deep.equal([
        { kept: 1 },
      ]);
    });

    it("do not remove a session that is not hidden", async () => {
      const id = await fixture.insertSession(db);
      await using role = await connectAs(fixture, "api");
      await role.query(`SELECT tarsy_remove_session('${id}', 500)`);
      expect(
        await db.query("SELECT 1 AS kept FROM alert_sessions WHERE session_id = $1", [id]),
      ).to.deep.equal([{ kept: 1 }]);
    });
  });
});

interface RoleConnection extends AsyncDisposable {
  /** False if Postgres denies it. What it does is rolled back. */
  may(sql: string): Promise<boolean>;
  query(sql: string): Promise<void>;
}

async function connectAs(fixture: DatabaseFixture, service: DatabaseService): Promise<RoleConnection> {
  const client = new Client({ connectionString: fixture.servers.postgres.serviceUrls[service] });
  await client.connect();
  return {
    query: async (sql) => void (await client.query(sql)),
    may: async (sql) => {
      try {
        // CREATE DATABASE does not run in a transaction.
        await client.query(sql.startsWith("CREATE DATABASE") ? sql : `BEGIN; ${sql}`);
        return true;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === DENIED) return false;
        throw error;
      } finally {
        await client.query("ROLLBACK");
      }
    },
    [Symbol.asyncDispose]: async () => client.end(),
  };
}

type Attempt = readonly [what: string, sql: string, isDeclared: boolean];

/** Every way to use a table, and whether it is declared. None of the statements touches a row. */
function attempts(
  table: string,
  declared: readonly Privilege[],
  columns: readonly { readonly table: string; readonly name: string; readonly generated: boolean }[],
): Attempt[] {
  const covers = (action: Privilege["action"], column: string): boolean =>
    declared.some((one) => one.action === action && (one.columns === true || one.columns.includes(column)));
  const ofColumns = columns
    .filter((column) => column.table === table)
    .flatMap(({ name, generated }): Attempt[] => [
      [`SELECT ${table}.${name}`, `SELECT "${name}" FROM ${table} LIMIT 0`, covers("select", name)],
      // No statement can give a value to a generated number.
      ...(generated
        ? []
        : ([
            [
              `INSERT ${table}.${name}`,
              `INSERT INTO ${table} ("${name}") SELECT (NULL::${table})."${name}" WHERE false`,
              covers("insert", name),
            ],
            [
              `UPDATE ${table}.${name}`,
              `UPDATE ${table} SET "${name}" = NULL WHERE false`,
              covers("update", name),
            ],
          ] as const)),
    ]);
  return [
    ...ofColumns,
    [
      `DELETE ${table}`,
      `DELETE FROM ${table} WHERE false`,
      declared.some(({ action }) => action === "delete"),
    ],
    [`TRUNCATE ${table}`, `TRUNCATE ${table} CASCADE`, false],
    [`ALTER ${table}`, `ALTER TABLE ${table} ADD COLUMN more int`, false],
    [`DROP ${table}`, `DROP TABLE ${table} CASCADE`, false],
    [`TRIGGER ${table}`, `ALTER TABLE ${table} DISABLE TRIGGER ALL`, false],
  ];
}
