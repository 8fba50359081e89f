import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { migrate } from "#shared/database/schema/migrate.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import type { Database } from "#shared/database/database.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();

/** A real Postgres, with connections to its databases. */
export class DatabaseFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly servers: BackingServers;

  private constructor(resources: AsyncDisposableStack, servers: BackingServers) {
    this.#resources = resources;
    this.servers = servers;
  }

  static async start({ ownServers = false } = {}): Promise<DatabaseFixture> {
    const resources = new AsyncDisposableStack();
    return new DatabaseFixture(resources, resources.use(await BackingServers.choose({ ownServers })));
  }

  /** Connects to the server's own database, or to another by its URL. */
  async connect(url = this.servers.postgres.url, { poolSize = 3 } = {}): Promise<Database> {
    const db = await openDatabase({ url, applicationName: "database-test", poolSize, log, signal });
    return this.#resources.use(db);
  }

  /** Connects to the server's own database, with its schema. */
  async migrated(): Promise<Database> {
    const db = await this.connect();
    await migrate(db, log);
    return db;
  }

  /** Inserts a pending session and returns its id. */
  async insertSession(db: Database): Promise<string> {
    const id = randomUUID();
    await db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash)
       VALUES ($1, 'x', 'a', 'c', 'h')`,
      [id],
    );
    await db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [id]);
    return id;
  }

  /** The URL of a new, empty database. */
  async emptyDatabase(): Promise<string> {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await this.servers.query(`CREATE DATABASE ${name}`, []);
    const url = new URL(this.servers.postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
