import { chmodSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { prepareServiceRoles } from "#shared/database/schema/prepare-roles.ts";
import { serviceUrls, type ServiceUrls } from "#shared/database/schema/service-urls.ts";
import { dieWithParent } from "../process/die-with-parent.ts";
import { freePort } from "../free-port.ts";
import { LaunchError } from "../launch-error.ts";
import { findPostgresBinaries } from "./find-postgres-binaries.ts";
import { openCluster, type Passwords } from "./open-cluster.ts";
import { stopOrphanedPostgres } from "./stop-orphaned-postgres.ts";
import { findPostgresUser } from "./find-postgres-user.ts";
import {
  lastLogLines,
  type ServerProcess,
  spawnServer,
  stopAbandonedServer,
} from "../process/server-process.ts";
import type { StopSteps } from "../process/stop-process.ts";

export type EmbeddedPostgres = ServerProcess & {
  /** Database `tarsy` as its owner `tarsy`, which is not a superuser but may create databases. Contains the password. */
  readonly url: string;
  /** Database `tarsy` as the role of each service. Contain the passwords. */
  readonly serviceUrls: ServiceUrls;
  /** Database `postgres` as the superuser. Contains the password. */
  readonly adminUrl: string;
  readonly port: number;
};

type StartPostgres = {
  /** Created if missing; used by one server at a time. */
  readonly dataDir: string;
  /** 0 means any free port; "socket" a Unix socket in the data directory, and no TCP at all. */
  readonly port: number | "socket";
  /** `false` for temporary data: commits survive a killed server, but not a power failure. */
  readonly durable: boolean;
  readonly signal?: AbortSignal;
};

const readyTimeoutMs = 60_000;
const stopSteps: StopSteps = [
  { signal: "SIGINT", waitMs: 8_000 },
  { signal: "SIGQUIT", waitMs: 3_000 },
  { signal: "SIGKILL", waitMs: 2_000 },
];

/** Names a Unix socket; nothing listens on it as a port. */
const SOCKET_PORT = 5432;

/** The address of the server: on a port of this machine, or by a Unix socket in this directory. */
type PostgresAddress = { readonly port: number; readonly socketDirectory?: string };

/** The URL's `host` parameter comes before its host, which a URL must have. */
function urlOf(
  user: string,
  password: string,
  { port, socketDirectory }: PostgresAddress,
  database: string,
): string {
  const socket = socketDirectory === undefined ? "" : `?host=${encodeURIComponent(socketDirectory)}`;
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}${socket}`;
}

function serverOptions({ port, socketDirectory }: PostgresAddress, durable: boolean): string[] {
  const settings = {
    listen_addresses: socketDirectory === undefined ? "127.0.0.1" : "",
    port: String(port),
    unix_socket_directories: socketDirectory ?? "",
    max_connections: "200",
    log_min_messages: "warning",
    log_checkpoints: "off",
    log_line_prefix: "%m [%p] ",
    timezone: "UTC",
    log_timezone: "UTC",
    // Commits still reach the operating system, so a killed server loses none; fault tests depend on that. The log is short and the
    // connections are many, because the data may be in memory and the server that of a whole test run.
    ...(durable
      ? {}
      : { fsync: "off", full_page_writes: "off", max_wal_size: "128MB", max_connections: "600" }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function tryConnect(url: string): Promise<Client | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // The connection can break between two queries; the next query then fails.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    // Not listening yet, or still starting up (57P03): the caller retries until its timeout.
    await client.end().catch(() => undefined);
    return undefined;
  }
}

async function waitForConnection(
  server: ServerProcess,
  url: string,
  signal?: AbortSignal,
): Promise<Client | undefined> {
  const until = performance.now() + readyTimeoutMs;
  while (!server.hasExited() && performance.now() < until) {
    signal?.throwIfAborted();
    const client = await tryConnect(url);
    if (client !== undefined) return client;
    await Promise.race([server.exited, delay(20)]);
  }
  return undefined;
}

async function createMissing(admin: Client, passwords: Passwords): Promise<void> {
  const { rows } = await admin.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = 'tarsy') as role,
            exists (select from pg_database where datname = 'tarsy') as database`,
  );
  const found = rows[0];
  // The passwords are generated hexadecimal digits and need no quoting.
  if (found?.role !== true) {
    await admin.query(`create role tarsy login createdb password '${passwords.tarsy}'`);
  }
  if (found?.database !== true) await admin.query("create database tarsy owner tarsy");
  await prepareServiceRoles(admin, passwords.services);
}

/** Creates the roles and the database if missing, and closes `admin`. */
async function prepareDatabase(admin: Client, passwords: Passwords): Promise<void> {
  try {
    await createMissing(admin, passwords);
  } finally {
    await admin.end();
  }
}

type PreparedCluster = { postgres: string; prefix: readonly string[]; cluster: string; passwords: Passwords };

async function startOnPort(
  options: StartPostgres,
  prepared: PreparedCluster,
  address: PostgresAddress,
): Promise<EmbeddedPostgres | undefined> {
  const { passwords, cluster } = prepared;
  const program = [prepared.postgres, "-D", cluster, ...serverOptions(address, options.durable)];
  // The order matters: changing the user resets the parent death signal.
  const [command = prepared.postgres, ...args] = [...prepared.prefix, ...dieWithParent(program, "INT")];
  const server = spawnServer({ command, args, stateDir: options.dataDir, cwd: cluster, stopSteps });
  const adminUrl = urlOf("postgres", passwords.admin, address, "postgres");
  try {
    const admin = await waitForConnection(server, adminUrl, options.signal);
    if (admin !== undefined) {
      await prepareDatabase(admin, passwords);
      const url = urlOf("tarsy", passwords.tarsy, address, "tarsy");
      return {
        ...server,
        url,
        serviceUrls: serviceUrls(url, passwords.services),
        adminUrl,
        port: address.port,
      };
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  await server.stop();
  return undefined;
}

async function addressFor(port: StartPostgres["port"], cluster: string): Promise<PostgresAddress> {
  // The cluster's own directory, which only its user may enter.
  if (port === "socket") return { port: SOCKET_PORT, socketDirectory: cluster };
  return { port: port === 0 ? await freePort("127.0.0.1") : port };
}

/**
 * Starts PostgreSQL on 127.0.0.1 or on a Unix socket (every role with a password) and resolves when it accepts connections.
 * A killed server can be restarted on the same data and port. A server that a killed owner left running on the data is
 * stopped first. For root it runs as another user, which need not have access to the parent directories.
 * @throws LaunchError if it cannot start (with its last log lines) or its data directory is in use.
 */
export async function startPostgres(options: StartPostgres): Promise<EmbeddedPostgres> {
  const { initdb, postgres } = findPostgresBinaries();
  mkdirSync(options.dataDir, { recursive: true });
  // The server may run as another user and must be able to enter; secret files in it have their own mode.
  chmodSync(options.dataDir, 0o755);
  const dataDir = realpathSync(options.dataDir);
  const cluster = join(dataDir, "cluster");
  await stopAbandonedServer(dataDir, stopSteps);
  await stopOrphanedPostgres(cluster);
  const user = findPostgresUser(postgres, dataDir, cluster);
  const passwords = await openCluster({ initdb, user, dataDir, cluster, durable: options.durable });
  const prepared = { postgres, prefix: user.prefix, cluster, passwords };
  // Another process can take the free port before the server binds it.
  for (let triesLeft = options.port === 0 ? 5 : 1; triesLeft > 0; triesLeft -= 1) {
    const address = await addressFor(options.port, cluster);
    const server = await startOnPort({ ...options, dataDir }, prepared, address);
    if (server !== undefined) return server;
  }
  throw new LaunchError(`The embedded PostgreSQL does not start; its last output:\n${lastLogLines(dataDir)}`);
}
