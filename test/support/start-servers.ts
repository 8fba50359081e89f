import { join } from "node:path";
import { Client } from "pg";
import { TIME_SCALE } from "#shared/contracts/durations.ts";
import { startNats, type EmbeddedNats, type NatsAccess } from "../../launcher/nats/start-nats.ts";
import { startPostgres, type EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { copyInitialCluster } from "./initial-cluster.ts";
import { killOnExit } from "./kill-on-exit.ts";

/** `TEST_SERVERS=containers` (npm run test:containers) runs both in containers, otherwise they are ordinary processes. */
export const IN_CONTAINERS = process.env["TEST_SERVERS"] === "containers";
const { tools } = projectPaths(join(import.meta.dirname, "../.."));
/** A program that is found once is there for all tests of a process. */
let natsBinary: Promise<string> | undefined;

interface StartServer {
  /** Contains the data of both servers, each in a separate folder. */
  readonly directory: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Starts Postgres on the data in `directory`. Without `durable`, it skips what only a power failure requires. */
export async function startPostgresIn({
  directory,
  port,
  durable,
  isMigrated = false,
}: StartServer & {
  readonly durable: boolean;
  /** Whether a new one has the newest schema; in containers it is empty. */
  readonly isMigrated?: boolean;
}): Promise<EmbeddedPostgres> {
  const options = { dataDir: join(directory, "postgres"), port, durable };
  if (IN_CONTAINERS) {
    // Loaded only when needed, because it loads testcontainers.
    const { startPostgresContainer } = await import("./container-servers.ts");
    return prepareForTests(await startPostgresContainer(options));
  }
  await copyInitialCluster(options.dataDir, isMigrated);
  const server = await startPostgres(options);
  const registration = killOnExit(server.pid, "SIGQUIT");
  void server.exited.then(() => registration[Symbol.dispose]());
  return prepareForTests(server);
}

/**
 * Lets the owner of the tables see and end what the services' connections do, which in operation takes an administrator, and lets
 * processes of this time scale use the server.
 */
async function prepareForTests(server: EmbeddedPostgres): Promise<EmbeddedPostgres> {
  const client = new Client({ connectionString: server.adminUrl });
  await client.connect();
  await client.query("GRANT pg_read_all_stats, pg_signal_backend TO tarsy");
  // For every database of the server, also for those that are made later.
  await client.query(`ALTER ROLE ALL SET tarsy.time_scale = ${TIME_SCALE}`);
  await client.end();
  return server;
}

/** Starts NATS on the data in `directory`, with these users or accounts. */
export async function startNatsIn({
  directory,
  ...rest
}: StartServer &
  NatsAccess & {
    /** Serves the monitoring over HTTP. */
    readonly monitorPort?: number;
  }): Promise<EmbeddedNats> {
  const options = { dataDir: join(directory, "nats"), ...rest };
  if (IN_CONTAINERS) {
    const { startNatsContainer } = await import("./container-servers.ts");
    return startNatsContainer(options);
  }
  natsBinary ??= findNatsServer({ toolsDir: tools, env: process.env, progress: () => undefined });
  const server = await startNats({ ...options, binary: await natsBinary });
  const registration = killOnExit(server.pid);
  void server.exited.then(() => registration[Symbol.dispose]());
  return server;
}
