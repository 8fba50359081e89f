import { expect } from "chai";
import { pino } from "pino";
import { migrate } from "#shared/database/schema/migrate.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { openOrm } from "#shared/database/connection/open-orm.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { PgBouncer, findPgBouncer } from "../../../test/support/pgbouncer.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const { signal } = new AbortController();
const LIMITS = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
  current_setting('idle_in_transaction_session_timeout') AS idle`;
const OURS = { statement: "5s", lock: "3s", idle: "10s" };

const MODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "with its own defaults": {},
  "in transaction mode": { pool_mode: "transaction", default_pool_size: "3" },
  "in transaction mode, with ignore_startup_parameters": {
    pool_mode: "transaction",
    ignore_startup_parameters: "statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options",
  },
};

// Without the program the suite has no tests: pending ones count as failures.
const found = findPgBouncer();
if (found === undefined) {
  process.stdout.write("    PgBouncer is not tested: it is not installed (apt-get install pgbouncer)\n");
} else {
  describe("a PgBouncer in front of Postgres", () => testPooler(found));
}

function testPooler(program: string): void {
  const resources = new AsyncDisposableStack();
  let fixture: DatabaseFixture;

  before(async () => {
    fixture = resources.use(await DatabaseFixture.start({ ownServers: true }));
  });
  after(() => resources.disposeAsync());

  const recorded = () => {
    const lines: string[] = [];
    return { lines, log: pino({ level: "warn" }, { write: (line: string) => void lines.push(line) }) };
  };
  const start = async (settings: Readonly<Record<string, string>>) => {
    const url = await fixture.emptyDatabase();
    const service = new URL(fixture.servers.postgres.serviceUrls.api);
    service.pathname = new URL(url).pathname;
    const bouncer = resources.use(await PgBouncer.start(program, [url, service.href], settings));
    return { owner: bouncer.urlOf(url), service: bouncer.urlOf(service.href), direct: url };
  };

  for (const [mode, settings] of Object.entries(MODES)) {
    it(`${mode} lets several migrate at once, and a service work within its limits`, async () => {
      const { owner, service, direct } = await start(settings);
      const { lines, log } = recorded();
      await Promise.all([migrate({ url: owner }, log), migrate({ url: owner }, log)]);
      const options = { url: service, applicationName: "pooled", poolSize: 6, log, signal };
      await using db = await openDatabase(options);
      await waitForSchema(db, "api", log, signal);
      const orm = await openOrm({ ...options, poolSize: 2 });
      // More connections than the pooler has, each statement with a name of its own.
      const doubled = Array.from({ length: 60 }, async (_, n) =>
        db.query(`SELECT $1::int * ${1 + (n % 3)} AS n`, [n]),
      );
      for (const [n, rows] of (await Promise.all(doubled)).entries()) {
        expect(rows).to.deep.equal([{ n: n * (1 + (n % 3)) }]);
      }
      expect(await db.query(LIMITS)).to.deep.equal([OURS]);
      expect(await orm.query(LIMITS)).to.deep.equal([OURS]);
      await orm.destroy();
      // What a service needs is set for its role alone: nothing stays in sessions of others, and no lock does.
      const admin = await fixture.connect(direct);
      expect(
        await admin.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"),
      ).to.deep.equal([]);
      expect(lines.filter((line) => !line.includes("not prepared any more"))).to.deep.equal([]);
    });
  }

  it("without limits of the role is something that the service warns of, with the statements", async () => {
    const { owner, service, direct } = await start({ pool_mode: "transaction" });
    const admin = await fixture.connect(fixture.servers.postgres.adminUrl);
    const { lines, log } = recorded();
    await admin.query("ALTER ROLE tarsy_api RESET ALL");
    // The owner may not change other roles.
    await migrate({ url: owner }, log);
    const remedy = 'ALTER ROLE \\"tarsy_api\\" SET statement_timeout = 5000; ALTER ROLE';
    expect(lines.join("")).to.include("need behind a connection pooler").and.include(remedy);
    await using pooled = await openDatabase({ url: service, applicationName: "x", poolSize: 1, log, signal });
    lines.length = 0;
    await waitForSchema(pooled, "api", log, signal);
    expect(lines.join("")).to.include("statements have no time limit").and.include(remedy);
    // Without a pooler the connection has them all the same.
    const plain = new URL(fixture.servers.postgres.serviceUrls.api);
    plain.pathname = new URL(direct).pathname;
    lines.length = 0;
    const straight = await fixture.connect(plain.href);
    await waitForSchema(straight, "api", log, signal);
    expect(lines).to.deep.equal([]);
    expect(await straight.query(LIMITS)).to.deep.equal([OURS]);
  });
}
