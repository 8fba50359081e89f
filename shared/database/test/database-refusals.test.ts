import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { connectClient } from "#shared/database/connection/connect-client.ts";
import { explainDatabaseError } from "#shared/database/connection/explain-database-error.ts";
import { migrate } from "#shared/database/schema/migrate.ts";
import { checkDatabase, openDatabase } from "#shared/database/connection/open-database.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { makeCertificate } from "../../../test/support/https-host.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { until } from "../../../test/support/until.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const silent = pino({ level: "silent" });

describe("a Postgres that refuses", () => {
  const resources = new AsyncDisposableStack();
  let fixture: DatabaseFixture;
  let admin: string;

  before(async () => {
    fixture = resources.use(await DatabaseFixture.start({ ownServers: true }));
    admin = fixture.servers.postgres.adminUrl;
  });
  after(() => resources.disposeAsync());

  /** The owner's URL with other parts. */
  const changed = (parts: Partial<Pick<URL, "username" | "password" | "pathname" | "search">>) =>
    Object.assign(new URL(fixture.servers.postgres.url), parts).href;
  const asAdmin = async (...statements: readonly string[]) => {
    const client = await connectClient(admin);
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const explained = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => "nothing was refused",
      (error: unknown) => explainDatabaseError(error),
    );

  it("says the cause with its remedy in the log, once, and in /readyz until it can be used", async () => {
    const port = await testPort();
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const stop = new AbortController();
    const health = { host: "127.0.0.1", port };
    const url = changed({ password: "another-secret" });
    const opening = openDatabase({
      url,
      applicationName: "x",
      poolSize: 1,
      log,
      signal: stop.signal,
      health,
    });
    opening.catch(() => undefined);
    const ready = async () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await until("it says why", async () => (await ready()) !== undefined);
    const response = await ready();
    expect(response?.status).to.equal(503);
    expect(await response?.text())
      .to.include("password authentication failed for user")
      .and.include("correct the password in the URL")
      .and.not.include("another-secret");
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).to.equal(503);
    await asAdmin("ALTER ROLE tarsy PASSWORD 'another-secret'");
    await using db = await opening;
    expect(await db.query("SELECT 1 AS n")).to.deep.equal([{ n: 1 }]);
    expect(await ready()).to.equal(undefined);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include("Postgres at 127.0.0.1:").and.not.include("another-secret");
    const old = new URL(fixture.servers.postgres.url).password;
    await asAdmin(`ALTER ROLE tarsy PASSWORD '${old}'`);
  });

  it("names the remedy for a database, a role or a right that is missing", async () => {
    const connect = async (url: string) => connectClient(url);
    expect(await explained(connect(changed({ pathname: "/none" }))))
      .to.include('database "none" does not exist')
      .and.include("CREATE DATABASE");
    expect(await explained(connect(changed({ password: "" })))).to.include("put one into the URL");
    await asAdmin("CREATE ROLE sleeper PASSWORD 'x'", "CREATE ROLE visitor LOGIN PASSWORD 'x'");
    expect(await explained(connect(changed({ username: "sleeper", password: "x" })))).to.include(
      "ALTER ROLE … LOGIN",
    );
    const url = await fixture.emptyDatabase();
    const visitor = changed({ username: "visitor", password: "x", pathname: new URL(url).pathname });
    expect(await explained(migrate({ url: visitor }, silent)))
      .to.include("permission denied for schema public")
      .and.include("make the role of `migrate` the owner of the database");
    const client = await connectClient(visitor);
    resources.defer(async () => client.end());
    await migrate({ url }, silent);
    await (await fixture.connect(url)).query("GRANT USAGE ON SCHEMA public TO visitor");
    expect(await explained(client.query("ALTER TABLE events ADD x int"))).to.match(
      /must be owner of table events: run `migrate` with the role that owns/u,
    );
    expect(await explained(client.query("SELECT 1 FROM events"))).to.include("give the role this privilege");
  });

  it("names the remedy where it has no room for another connection", async () => {
    await asAdmin("CREATE ROLE narrow LOGIN PASSWORD 'x' CONNECTION LIMIT 0");
    expect(await explained(connectClient(changed({ username: "narrow", password: "x" })))).to.match(
      /too many connections.*raise max_connections/u,
    );
  });

  it("is not used with an encoding other than UTF8, nor while it is read-only", async () => {
    await asAdmin("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
    const latin = await connectClient(changed({ pathname: "/latin" }));
    const read = { query: async (sql: string) => (await latin.query<object>(sql)).rows };
    expect(await explained(checkDatabase(read))).to.include("the database has the encoding LATIN1");
    await latin.end();
    const url = await fixture.emptyDatabase();
    const db = await fixture.connect(url, { poolSize: 1 });
    await db.query("CREATE TABLE t (n int)");
    await db.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    await db.query("SET default_transaction_read_only = on");
    expect(await explained(checkDatabase(db))).to.include("the URL must lead to the primary");
    const refused: unknown = await db.query("INSERT INTO t VALUES (1)").catch((error: unknown) => error);
    expect(isDatabaseUnavailable(refused)).to.equal(true);
    expect(explainDatabaseError(refused)).to.include("the URL must lead to the primary");
    // The connection was given up: the next one may lead to the primary.
    await asAdmin(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RESET default_transaction_read_only`);
    await db.query("SELECT 1");
    await until("it writes", async () =>
      db.query("INSERT INTO t VALUES (1)").then(
        () => true,
        () => false,
      ),
    );
  });

  describe("TLS", () => {
    let ca: string;
    const connect = async (search: string) => {
      const client = await connectClient(changed({ search }));
      const { rows } = await client.query<{ ssl: boolean }>(
        "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
      );
      await client.end();
      return rows[0]?.ssl;
    };

    before(async () => {
      const { key, cert } = await makeCertificate(["localhost"]);
      const directory = resources.adopt(await mkdtemp(join(tmpdir(), "tarsy-ca-")), async (path) =>
        rm(path, { recursive: true }),
      );
      ca = join(directory, "ca.pem");
      await writeFile(ca, cert);
      expect(await explained(connect("?sslmode=require"))).to.include("the server has no TLS");
      expect(await connect("?sslmode=prefer")).to.equal(false);
      const file = (name: string, text: string) =>
        `COPY (SELECT regexp_split_to_table('${text.trim()}', E'\\n')) TO PROGRAM 'umask 077; cat > "$PWD/${name}"'`;
      await asAdmin(
        file("test.key", key),
        file("test.crt", cert),
        "ALTER SYSTEM SET ssl_key_file = 'test.key'",
        "ALTER SYSTEM SET ssl_cert_file = 'test.crt'",
        "ALTER SYSTEM SET ssl = on",
        "SELECT pg_reload_conf()",
      );
      await until("the server has TLS", async () => (await connect("?sslmode=prefer")) === true);
    });

    it("is used and verified as the mode says", async () => {
      expect(await connect("")).to.equal(false);
      expect(await connect("?sslmode=disable")).to.equal(false);
      expect(await connect("?sslmode=allow")).to.equal(false);
      expect(await connect("?sslmode=require")).to.equal(true);
      expect(await connect(`?sslmode=require&sslrootcert=${ca}`)).to.equal(true);
      expect(await connect(`?sslmode=verify-ca&sslrootcert=${ca}`)).to.equal(true);
      // The certificate is for localhost, the URL says 127.0.0.1.
      expect(await explained(connect(`?sslmode=verify-full&sslrootcert=${ca}`))).to.include(
        "its certificate is for another name",
      );
      expect(await connect(`?host=localhost&sslmode=verify-full&sslrootcert=${ca}`)).to.equal(true);
      expect(await explained(connect("?host=localhost&sslmode=verify-full"))).to.include(
        "name the CA's file with sslrootcert",
      );
    });

    it("binds the password to the certificate where the URL asks for it", async () => {
      expect(await connect("?sslmode=require&channel_binding=require")).to.equal(true);
      await asAdmin("SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD 'x'");
      const url = changed({
        username: "old",
        password: "x",
        search: "?sslmode=require&channel_binding=require",
      });
      expect(await explained(connectClient(url))).to.match(/channel binding is required|password auth/u);
    });
  });
});
