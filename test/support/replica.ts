import { execFile } from "node:child_process";
import { chmod, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findPostgresBinaries } from "../../launcher/postgres/find-postgres-binaries.ts";
import { findPostgresUser } from "../../launcher/postgres/find-postgres-user.ts";
import type { EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { lastLogLines, spawnServer, type ServerProcess } from "../../launcher/process/server-process.ts";
import { changeUrls } from "#shared/database/schema/service-urls.ts";
import type { BackingServers } from "./backing-servers.ts";
import { killOnExit } from "./kill-on-exit.ts";
import { serverDirectory } from "./server-directory.ts";
import { testPort } from "./test-port.ts";
import { until } from "./until.ts";

const HOST = "127.0.0.1";
const run = promisify(execFile);

interface ReplicaOptions {
  /** Of the standby; those that a primary is to have must be set there. */
  readonly settings?: Readonly<Record<string, string>>;
  /** `application_name` in `pg_stat_replication`, by which `synchronous_standby_names` finds it. */
  readonly name?: string;
  /** A port that leads to the primary; by default its own. */
  readonly primaryPort?: number;
}

/** A real standby of a Postgres of `BackingServers` that a test file has for itself: a copy of its files that streams its log. */
export class Replica implements AsyncDisposable {
  readonly port: number;
  readonly #server: ServerProcess;
  /** Contains `cluster`, the data. */
  readonly directory: string;
  /** Database `postgres` as the superuser. */
  readonly adminUrl: string;

  private constructor(server: ServerProcess, directory: string, port: number, adminUrl: string) {
    this.#server = server;
    const registration = killOnExit(server.pid, "SIGQUIT");
    void server.exited.then(() => registration[Symbol.dispose]());
    this.directory = directory;
    this.port = port;
    this.adminUrl = adminUrl;
  }

  /** Resolves when it answers reads; what the primary has committed since may come later. */
  static async start(servers: BackingServers, options: ReplicaOptions = {}): Promise<Replica> {
    const { adminUrl } = servers.postgres;
    const directory = await serverDirectory();
    const cluster = await copyCluster(servers, directory);
    const { postgres } = findPostgresBinaries();
    const user = findPostgresUser(postgres, directory, cluster);
    const port = await testPort();
    const settings = {
      listen_addresses: HOST,
      port: String(port),
      unix_socket_directories: "",
      // Not less than that of the primary.
      max_connections: "600",
      log_min_messages: "warning",
      fsync: "off",
      max_wal_size: "128MB",
      primary_conninfo: connectionInfo(adminUrl, options),
      ...options.settings,
    };
    const [command = postgres, ...args] = [
      ...user.prefix,
      postgres,
      "-D",
      cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
    const stopSteps = [
      { signal: "SIGQUIT", waitMs: 5_000 },
      { signal: "SIGKILL", waitMs: 2_000 },
    ] as const;
    const server = spawnServer({ command, args, stateDir: directory, cwd: cluster, stopSteps });
    const replica = new Replica(server, directory, port, withPort(adminUrl, port));
    await until("the replica answers", async () => {
      if (server.hasExited()) throw new Error(`the replica has ended: ${lastLogLines(directory)}`);
      return (await replica.query("SELECT 1")).length === 1;
    });
    return replica;
  }

  /** The same role and database on this server. */
  urlOf(url: string): string {
    return withPort(url, this.port);
  }

  /** Runs a statement on this server as the superuser, by default in the database `postgres`. */
  async query(sql: string, url = this.adminUrl): Promise<unknown[]> {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const { rows }: { rows: unknown[] } = await client.query(sql);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Receives the primary's log from now on, and shows nothing of it. */
  async pauseReplay(): Promise<void> {
    await this.query("SELECT pg_wal_replay_pause()");
    await until("replay is paused", async () => {
      const [row] = await this.query("SELECT pg_get_wal_replay_pause_state() AS state");
      return JSON.stringify(row).includes('"paused"');
    });
  }

  async resumeReplay(): Promise<void> {
    await this.query("SELECT pg_wal_replay_resume()");
  }

  /** Makes it a primary. */
  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()");
  }

  /** It in the place of its primary, whose roles and databases it has. */
  insteadOf({ url, adminUrl, serviceUrls }: EmbeddedPostgres): EmbeddedPostgres {
    const here = (other: string) => this.urlOf(other);
    const urls = { url: here(url), adminUrl: here(adminUrl), serviceUrls: changeUrls(serviceUrls, here) };
    return { ...this.#server, port: this.port, ...urls };
  }

  /** Ends it at once, with every connection. */
  async kill(): Promise<void> {
    process.kill(this.#server.pid, "SIGQUIT");
    await this.#server.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Copies the files of a running primary as its base backup says. */
async function copyCluster({ postgresDirectory, postgres }: BackingServers, to: string): Promise<string> {
  const cluster = join(to, "cluster");
  // The server may run as another user and must be able to enter.
  await chmod(to, 0o755);
  await mkdir(cluster, { mode: 0o700 });
  const source = join(postgresDirectory, "cluster");
  const admin = new Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  try {
    await admin.query("SELECT pg_backup_start('replica', true)");
    await run("cp", ["-a", `${source}/.`, cluster]);
    const { rows } = await admin.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    await writeFile(join(cluster, "backup_label"), rows[0]?.labelfile ?? "");
  } finally {
    await admin.end();
  }
  for (const name of ["postmaster.pid", "postmaster.opts"]) await rm(join(cluster, name), { force: true });
  await writeFile(join(cluster, "standby.signal"), "");
  const { uid, gid } = await stat(source);
  for (const path of [cluster, join(cluster, "backup_label"), join(cluster, "standby.signal")]) {
    await chown(path, uid, gid);
  }
  return cluster;
}

function connectionInfo(adminUrl: string, { name = "replica", primaryPort }: ReplicaOptions): string {
  const { username, password, port } = new URL(adminUrl);
  return `host=${HOST} port=${primaryPort ?? port} user=${username} password=${password} application_name=${name}`;
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
