import { execFile } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { GenericContainer, Wait, getContainerRuntimeClient, type StartedTestContainer } from "testcontainers";
import { prepareServiceRoles } from "#shared/database/schema/prepare-roles.ts";
import { serviceUrls } from "#shared/database/schema/service-urls.ts";
import {
  readGreeting,
  storageConfig,
  type EmbeddedNats,
  type NatsAccess,
} from "../../launcher/nats/start-nats.ts";
import type { EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { freePort } from "../../launcher/free-port.ts";
import type { ServerProcess } from "../../launcher/process/server-process.ts";
import { until } from "./until.ts";

const HOST = "127.0.0.1";
const DEPLOY = join(import.meta.dirname, "../../deploy");
const PASSWORD = "only-for-tests";
const SERVICE_PASSWORDS = { api: PASSWORD, executor: PASSWORD, "tool-runner": PASSWORD, notifier: PASSWORD };
const natsConfig = (
  port: number,
  { monitorPort, ...access }: NatsContainerOptions,
) => `listen: "${HOST}:${port}"
max_payload: 8MB
ping_interval: "5s"
${monitorPort === undefined ? "" : `http: "${HOST}:${monitorPort}"`}
${storageConfig("/data", access).join("\n")}
`;

/** The data directory of a test's server and its port; 0 takes any free port. */
interface ContainerServerOptions {
  readonly dataDir: string;
  readonly port: number;
  /** False skips what a power failure requires. */
  readonly durable?: boolean;
}

interface NatsContainerOptions extends ContainerServerOptions, NatsAccess {
  readonly monitorPort?: number;
}

/** The image with this name, as the compose file pins it. */
async function pinnedImage(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(DEPLOY, "local-images.sh"), ["--list"]);
  const image = stdout.split("\n").find((line) => line.includes(`/${name}:`));
  if (image === undefined) throw new Error(`podman-compose.yml pins no image of ${name}`);
  return image;
}

/** The container accesses the directory as another user. */
async function openForAll(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o777);
}

/** Wraps a started container as a process that a test may kill. The container is removed once it has ended. */
async function asProcess(started: StartedTestContainer): Promise<ServerProcess> {
  const { container: client } = await getContainerRuntimeClient();
  const container = client.getById(started.getId());
  const { State } = await container.inspect();
  let ended = false;
  const exited = (async () => {
    const result: unknown = await container.wait();
    ended = true;
    await container.remove({ force: true, v: true }).catch(() => undefined);
    return JSON.stringify(result);
  })();
  return {
    pid: State.Pid,
    exited,
    hasExited: () => ended,
    stop: async () => {
      if (!ended) await container.stop({ t: 10 }).catch(() => undefined);
      await exited;
    },
  };
}

/** Like `startPostgres`, in a container on the host's network, because a published port would be reachable from outside. */
export async function startPostgresContainer({
  dataDir,
  port,
  durable = true,
}: ContainerServerOptions): Promise<EmbeddedPostgres> {
  await openForAll(dataDir);
  const hostPort = port === 0 ? await freePort(HOST) : port;
  const relaxed = durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
  const address = [`listen_addresses=${HOST}`, `port=${hostPort}`];
  const settings = ["max_connections=200", ...address, ...relaxed].flatMap((setting) => ["-c", setting]);
  const started = await new GenericContainer(await pinnedImage("postgres"))
    .withUser("999:999")
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD, PGDATA: "/data/postgres" })
    .withBindMounts([{ source: dataDir, target: "/data" }])
    .withCommand(["postgres", ...settings])
    .withNetworkMode("host")
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/u))
    .start();
  const server = await asProcess(started);
  const adminUrl = `postgres://postgres:${PASSWORD}@${HOST}:${hostPort}/postgres`;
  await until("Postgres accepts connections", async () => prepareDatabase(adminUrl));
  const url = `postgres://tarsy:${PASSWORD}@${HOST}:${hostPort}/tarsy`;
  return { ...server, adminUrl, port: hostPort, url, serviceUrls: serviceUrls(url, SERVICE_PASSWORDS) };
}

/** Creates the roles and the database that the embedded server has. */
async function prepareDatabase(adminUrl: string): Promise<true> {
  const client = new Client({ connectionString: adminUrl });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'tarsy'");
    if (rowCount === 0) {
      await client.query(`CREATE ROLE tarsy LOGIN CREATEDB PASSWORD '${PASSWORD}'`);
      await client.query("CREATE DATABASE tarsy OWNER tarsy");
    }
    await prepareServiceRoles(client, SERVICE_PASSWORDS);
    return true;
  } finally {
    await client.end();
  }
}

/** Like `startNats`, in a container. */
export async function startNatsContainer(options: NatsContainerOptions): Promise<EmbeddedNats> {
  const { dataDir, port } = options;
  await openForAll(dataDir);
  const hostPort = port === 0 ? await freePort(HOST) : port;
  const started = await new GenericContainer(await pinnedImage("nats"))
    .withUser("1000:1000")
    .withCopyContentToContainer([
      { content: natsConfig(hostPort, options), target: "/etc/nats-test.conf", mode: 0o644 },
    ])
    .withBindMounts([{ source: dataDir, target: "/data" }])
    .withCommand(["-c", "/etc/nats-test.conf"])
    .withNetworkMode("host")
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/u))
    .start();
  const server = await asProcess(started);
  const { serverId, version } = await until("NATS sends its greeting", async () => readGreeting(hostPort));
  return { ...server, url: `nats://${HOST}:${hostPort}`, port: hostPort, serverId, version };
}
