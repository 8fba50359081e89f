import { expect } from "chai";
import { Client } from "pg";
import { pino } from "pino";
import { migrate } from "#shared/database/schema/migrate.ts";
import { OWNER_ROLE, prepareOwner } from "#shared/database/schema/prepare-owner.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();
/** Postgres gives what belongs to a trusted extension to a superuser. */
const OWN = (object: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = ${object} AND d.deptype = 'e')`;
const OWNERS = `
SELECT DISTINCT owner FROM (
  SELECT relowner::regrole::text AS owner FROM pg_class c WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT typowner::regrole::text FROM pg_type t WHERE typnamespace = 'public'::regnamespace AND ${OWN("t.oid")}
  UNION ALL SELECT proowner::regrole::text FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND ${OWN("p.oid")}
  UNION ALL SELECT relowner::regrole::text FROM pg_class WHERE relnamespace = to_regnamespace('public_past')
  UNION ALL SELECT nspowner::regrole::text FROM pg_namespace WHERE oid = to_regnamespace('public_past')
  UNION ALL SELECT datdba::regrole::text FROM pg_database WHERE datname = current_database()
) AS owners`;

describe("prepareOwner", () => {
  const resources = new AsyncDisposableStack();
  let fixture: DatabaseFixture;

  before(async () => {
    // Roles belong to the server, and other test files use those of the shared one.
    fixture = resources.use(await DatabaseFixture.start({ ownServers: true }));
  });
  after(async () => resources.disposeAsync());

  /** A new database, and it as seen by two roles. */
  const database = async (): Promise<{ admin: string; owner: string; service: string }> => {
    const own = new URL(await fixture.emptyDatabase());
    const { adminUrl, serviceUrls } = fixture.servers.postgres;
    const at = (url: string): string => {
      const there = new URL(url);
      there.pathname = own.pathname;
      return there.href;
    };
    const owner = new URL(at(adminUrl));
    owner.username = OWNER_ROLE;
    owner.password = "owner-password";
    return { admin: at(adminUrl), owner: owner.href, service: at(serviceUrls.executor) };
  };

  it("makes an empty database and what migrate creates in it belong to the owner, who is no superuser", async () => {
    const { admin, owner, service } = await database();
    await prepareOwner(await fixture.connect(admin), "owner-password");
    await migrate({ url: owner }, log);
    const db = await fixture.connect(owner);
    expect(await db.query(OWNERS)).to.deep.equal([{ owner: OWNER_ROLE }]);
    expect(
      await db.query(
        "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user",
      ),
    ).to.deep.equal([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false }]);
    await waitForSchema(await fixture.connect(service), "executor", log, signal);
  });

  it("is what an owner of tables needs that may not create the schema of the past, and the error says so", async () => {
    const { admin } = await database();
    const superuser = await fixture.connect(admin);
    await superuser.query("DROP ROLE IF EXISTS tables_only");
    await superuser.query("CREATE ROLE tables_only LOGIN PASSWORD 'tables'");
    await superuser.query("GRANT CREATE ON SCHEMA public TO tables_only");
    await superuser.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
    const url = new URL(admin);
    [url.username, url.password] = ["tables_only", "tables"];
    const refused = await rejectionOf(migrate({ url: url.href }, log));
    expect(refused).to.include("may not create the schema").and.include("AUTHORIZATION");
    await superuser.query("CREATE SCHEMA public_past AUTHORIZATION tables_only");
    await migrate({ url: url.href }, log);
  });

  it("needs no superuser where a role may create roles and owns the database", async () => {
    const { admin, owner } = await database();
    const superuser = await fixture.connect(admin);
    const name = new URL(admin).pathname.slice(1);
    await superuser.query("DROP ROLE IF EXISTS cloud_admin");
    await superuser.query("CREATE ROLE cloud_admin LOGIN CREATEROLE CREATEDB PASSWORD 'cloud'");
    await superuser.query(`ALTER DATABASE ${name} OWNER TO cloud_admin`);
    await superuser.query(`GRANT ${OWNER_ROLE} TO cloud_admin WITH ADMIN OPTION`);
    const url = new URL(admin);
    [url.username, url.password] = ["cloud_admin", "cloud"];
    await prepareOwner(await fixture.connect(url.href), "owner-password");
    await migrate({ url: owner }, log);
    const client = new Client({ connectionString: owner });
    await client.connect();
    const { rows }: { rows: unknown[] } = await client.query(OWNERS);
    await client.end();
    expect(rows).to.deep.equal([{ owner: OWNER_ROLE }]);
  });
});
