import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { stopOrphanedPostgres } from "../../launcher/postgres/stop-orphaned-postgres.ts";
import type { BackingServers } from "./backing-servers.ts";
import { Replica } from "./replica.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { until } from "./until.ts";

const NAME = "standby";
const FOLLOWS = `SELECT 1 FROM pg_stat_replication WHERE application_name = '${NAME}' AND state = 'streaming' AND sync_state = $1`;

/** A replica that can take the place of its primary, and the link between them. */
export class StandbyPostgres {
  readonly #servers: BackingServers;
  readonly #replica: Replica;
  readonly #link: TcpProxy;

  private constructor(servers: BackingServers, replica: Replica, link: TcpProxy) {
    this.#servers = servers;
    this.#replica = replica;
    this.#link = link;
  }

  /** Copies the primary; resolves once the copy follows it. With `isSynchronous` each COMMIT of the primary then waits for it. */
  static async follow(
    servers: BackingServers,
    { isSynchronous }: { readonly isSynchronous: boolean },
  ): Promise<StandbyPostgres> {
    await using resources = new AsyncDisposableStack();
    const { port, adminUrl } = servers.postgres;
    const link = resources.use(await TcpProxy.start({ host: "127.0.0.1", port }));
    const replica = resources.use(await Replica.start(servers, { name: NAME, primaryPort: link.port }));
    // Not copied: as a primary it waits for none until one follows it.
    if (isSynchronous) await setStandby(adminUrl);
    await until("the standby follows", async () => {
      return (await servers.query(FOLLOWS, [isSynchronous ? "sync" : "async"])).length > 0;
    });
    resources.move();
    return new StandbyPostgres(servers, replica, link);
  }

  /** While on, it receives nothing. */
  holdBack(on: boolean): void {
    this.#link.blackhole(on);
  }

  /**
   * Kills the primary with all of its processes, for good, and takes its place in `servers`, which stop it at their end. `isEarly`: while it
   * still is a standby, which only reads.
   */
  async takeOver({ isEarly = false }: { readonly isEarly?: boolean } = {}): Promise<void> {
    const { postgres: former, postgresDirectory } = this.#servers;
    process.kill(former.pid, "SIGKILL");
    await former.exited;
    await stopOrphanedPostgres(join(postgresDirectory, "cluster"));
    await this.#link[Symbol.asyncDispose]();
    const { directory } = this.#replica;
    const replace = async () => this.#servers.replacePostgres(this.#replica.insteadOf(former), directory);
    if (isEarly) await replace();
    await this.#replica.promote();
    if (!isEarly) await replace();
    await rm(postgresDirectory, { recursive: true, force: true });
  }
}

async function setStandby(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`);
  await admin.query("SELECT pg_reload_conf()");
  await admin.end();
}
