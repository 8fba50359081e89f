import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "pg";
import { pino } from "pino";
import { migrate } from "#shared/database/schema/migrate.ts";
import type { EmbeddedNats } from "../../launcher/nats/start-nats.ts";
import type { EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { natsClients, type NatsClient } from "./nats-clients.ts";
import { NatsUsers, natsEnvironment, type NatsRole } from "./nats-users.ts";
import { serverDirectory } from "./server-directory.ts";
import type { ServiceName } from "./spawn-service.ts";
import { IN_CONTAINERS, startNatsIn, startPostgresIn } from "./start-servers.ts";
import { testPort } from "./test-port.ts";
import { takeServerShare, type ServerShare } from "./run-servers.ts";

interface BackingServersOptions {
  readonly durable?: boolean;
  /** Whether the database has the newest schema at once, which is faster than `migrate`. */
  readonly migrated?: boolean;
  /** Called with the directory before `postgres` and `nats` are created in it. */
  readonly prepare?: (directory: string) => void;
}

/** A real Postgres and a real NATS on free ports: started for one test file, or shared by the test files of a run. */
export class BackingServers implements AsyncDisposable {
  /** Contains the data of both servers. */
  readonly directory: string;
  readonly #durable: boolean;
  readonly #share: ServerShare | undefined;
  readonly #migrated: boolean;
  readonly #monitorPort: number;
  readonly #users: NatsUsers;
  postgres: EmbeddedPostgres;
  #dataDir: string;
  #nats: EmbeddedNats;
  #pool: Pool | undefined;

  private constructor(parts: {
    directory: string;
    durable: boolean;
    share?: ServerShare;
    migrated: boolean;
    monitorPort?: number;
    users: NatsUsers;
    postgres: EmbeddedPostgres;
    nats: EmbeddedNats;
  }) {
    this.directory = parts.directory;
    this.#durable = parts.durable;
    this.#share = parts.share;
    this.#migrated = parts.migrated;
    this.#monitorPort = parts.monitorPort ?? 0;
    this.#users = parts.users;
    this.postgres = parts.postgres;
    this.#dataDir = join(parts.directory, "postgres");
    this.#nats = parts.nats;
  }

  /** NATS; its URL has a user for the test itself, which may do everything. */
  get nats(): EmbeddedNats {
    return { ...this.#nats, url: this.natsUrl("test") };
  }

  /** The URL of NATS for one of its users, which are those of production and `test`; `port` is that of a proxy. */
  natsUrl(role: NatsRole, port = this.#nats.port): string {
    return this.#users.url(`nats://127.0.0.1:${port}`, role);
  }

  /** The variables with which a service reaches NATS, as the launcher sets them. */
  natsEnvironment(service: ServiceName): Readonly<Record<string, string>> {
    return natsEnvironment(service, (role) => this.natsUrl(role));
  }

  /**
   * Starts servers for one test file, which may stop and kill them. The database is empty unless it is to be migrated. Without `durable`, Postgres
   * skips what only a power failure requires; a benchmark needs the real cost of a commit.
   */
  static async start({
    durable = false,
    migrated = false,
    prepare,
  }: BackingServersOptions = {}): Promise<BackingServers> {
    const directory = await serverDirectory();
    prepare?.(directory);
    const monitorPort = await testPort();
    const users = new NatsUsers();
    const [postgres, nats] = await Promise.all([
      startPostgresIn({ directory, port: 0, durable, isMigrated: migrated }),
      startNatsIn({ directory, port: 0, monitorPort, users: users.list }),
    ]);
    return new BackingServers({
      directory,
      durable,
      migrated: migrated && !IN_CONTAINERS,
      monitorPort,
      users,
      postgres,
      nats,
    });
  }

  /** A migrated database and a NATS account for one test file, on servers that keep running after it. */
  static async share(): Promise<BackingServers> {
    const share = await takeServerShare();
    const { directory, users, postgres, nats } = share;
    return new BackingServers({
      directory,
      durable: false,
      share,
      migrated: true,
      users,
      postgres,
      nats,
    });
  }

  /** Shared servers, or with `ownServers` separate ones that the test file may stop and kill. */
  static async choose({ ownServers = false }: { ownServers?: boolean | undefined }): Promise<BackingServers> {
    return ownServers ? BackingServers.start({ migrated: true }) : BackingServers.share();
  }

  /** Brings the schema and the privileges of the services' roles to this version, if they are not. */
  async migrate(): Promise<void> {
    if (!this.#migrated) await migrate(this.postgres, pino({ level: "silent" }));
  }

  /** Queries Postgres as the owner of the tables. A statement must leave nothing behind in its connection, which others use. */
  async query(sql: string, parameters: unknown[]): Promise<unknown[]> {
    this.#pool ??= openPool(this.postgres.url);
    const { rows }: { rows: unknown[] } = await this.#pool.query(sql, parameters);
    return rows;
  }

  /** Kills NATS; its data stays. */
  async killNats(): Promise<void> {
    this.#assertOwn();
    process.kill(this.#nats.pid, "SIGKILL");
    await this.#nats.exited;
  }

  /** Starts NATS again on its port and data. */
  async restartNats(): Promise<void> {
    const { directory } = this;
    const { port } = this.#nats;
    const users = this.#users.list;
    this.#nats = await startNatsIn({ directory, port, monitorPort: this.#monitorPort, users });
  }

  /** Deletes what a killed NATS has stored: the streams, their messages and the consumers. */
  async loseNatsStore(): Promise<void> {
    this.#assertOwn();
    await rm(join(this.directory, "nats", "store"), { recursive: true, force: true });
  }

  /** SIGSTOP: NATS keeps its connections, the kernel accepts new ones, and no answer comes. */
  freezeNats(): void {
    this.#assertOwn();
    process.kill(this.nats.pid, "SIGSTOP");
  }

  /** Lets a frozen NATS continue. */
  thawNats(): void {
    process.kill(this.nats.pid, "SIGCONT");
  }

  /** The open client connections of NATS, as it sees them. */
  async natsClients(): Promise<NatsClient[]> {
    this.#assertOwn();
    return natsClients(this.#monitorPort);
  }

  /** Ends Postgres as its "immediate" mode does: no checkpoint, every connection broken. */
  async crashPostgres(): Promise<void> {
    this.#assertOwn();
    await this.#closePool();
    process.kill(this.postgres.pid, "SIGQUIT");
    await this.postgres.exited;
  }

  async stopPostgres(): Promise<void> {
    this.#assertOwn();
    await this.#closePool();
    await this.postgres.stop();
  }

  /** Where the data of Postgres is. */
  get postgresDirectory(): string {
    return this.#dataDir;
  }

  /** From now on Postgres is another server, which has taken the place of the one before; that one has ended. */
  async replacePostgres(postgres: EmbeddedPostgres, dataDir: string): Promise<void> {
    this.#assertOwn();
    await this.#closePool();
    this.postgres = postgres;
    this.#dataDir = dataDir;
  }

  /** Starts Postgres again on its port and data. */
  async restartPostgres(): Promise<void> {
    const { port } = this.postgres;
    this.postgres = await startPostgresIn({ directory: this.directory, port, durable: this.#durable });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closePool();
    if (this.#share !== undefined) return this.#share[Symbol.asyncDispose]();
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #closePool(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  #assertOwn(): void {
    if (this.#share !== undefined) {
      throw new Error("other test files use these servers: start servers of your own");
    }
  }
}

/** A poll of a condition queries often; a connection of its own for each query would cost more than most of them. */
function openPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  // A test that ends connections may end an idle one, which the pool then leaves out.
  pool.on("error", () => undefined);
  return pool;
}
