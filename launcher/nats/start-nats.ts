import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { dieWithParent } from "../process/die-with-parent.ts";
import { renderBusUsers, type NatsUser } from "#shared/contracts/bus-users.ts";
import { freePort } from "../free-port.ts";
import { LaunchError } from "../launch-error.ts";
import { makePrivateDirectory, writePrivateFile } from "../private-file.ts";
import {
  lastLogLines,
  type ServerProcess,
  spawnServer,
  stopAbandonedServer,
} from "../process/server-process.ts";
import type { StopSteps } from "../process/stop-process.ts";

export type EmbeddedNats = ServerProcess & {
  /** The client's address: `nats://127.0.0.1:<port>`, without a user. */
  readonly url: string;
  readonly port: number;
  /** The server id from its INFO line; new after each start. */
  readonly serverId: string;
  readonly version: string;
};

/** Users of the server with a JetStream of their own: no other account sees its subjects and streams. */
type NatsAccount = { readonly name: string; readonly users: readonly NatsUser[] };

/** The users that may connect. */
export type NatsAccess = {
  /** Users of the account that keeps the streams of a server without users. */
  readonly users?: readonly NatsUser[];
  readonly accounts?: readonly NatsAccount[];
};

/** Everyone is let in and shares everything without users and accounts: only for tests. */
type StartNats = NatsAccess & {
  /** Path of a nats-server binary, see `findNatsServer`. */
  readonly binary: string;
  /** Created if missing; used by one server at a time. */
  readonly dataDir: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The server's name, by which a cluster knows it again after a restart; by default it has a new one at each start. */
  readonly name?: string;
  /** Serves the server's monitoring over HTTP on this port of 127.0.0.1; without it there is none. */
  readonly monitorPort?: number;
  /** Further lines of the server's configuration. */
  readonly settings?: readonly string[];
  readonly signal?: AbortSignal;
};

type Greeting = { serverId: string; serverName: string; version: string };

const readyTimeoutMs = 20_000;
const stopSteps: StopSteps = [
  { signal: "SIGTERM", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
];

/** The storage limits of an account: its streams reserve their limits. */
const accountStorageGb = 4;

/** The lines of a nats-server's configuration that hold its JetStream and who may connect. */
export function storageConfig(storeDir: string, { users = [], accounts = [] }: NatsAccess = {}): string[] {
  const storageGb = accountStorageGb * Math.max(1, accounts.length);
  const jetstream = `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file: ${storageGb}GB, max_mem: 256MB }`;
  const entries = accounts.map(
    (account) => `  ${JSON.stringify(account.name)} { jetstream: enabled, ${renderBusUsers(account.users)} }`,
  );
  return [
    jetstream,
    ...(users.length === 0 ? [] : [`authorization { ${renderBusUsers(users)} }`]),
    ...(accounts.length === 0 ? [] : ["accounts {", ...entries, "}"]),
  ];
}

function writeConfig(
  { dataDir, monitorPort, settings = [], ...access }: StartNats,
  port: number,
  serverName: string,
): string {
  const path = join(dataDir, "nats.conf");
  const lines = [
    `server_name: ${JSON.stringify(serverName)}`,
    `listen: "127.0.0.1:${port}"`,
    "max_payload: 8MB",
    // The pull requests of a client that vanished stay open until the server notices.
    'ping_interval: "5s"',
    ...(monitorPort === undefined ? [] : [`http: "127.0.0.1:${monitorPort}"`]),
    ...storageConfig(join(dataDir, "store"), access),
    ...settings,
  ];
  // It contains the passwords.
  writePrivateFile(path, `${lines.join("\n")}\n`);
  return path;
}

function parseGreeting(line: string): Greeting | undefined {
  if (!line.startsWith("INFO ")) return undefined;
  const info: unknown = JSON.parse(line.slice("INFO ".length));
  if (typeof info !== "object" || info === null) return undefined;
  if (!("server_id" in info) || !("server_name" in info) || !("version" in info)) return undefined;
  return {
    serverId: String(info.server_id),
    serverName: String(info.server_name),
    version: String(info.version),
  };
}

/** Connects once and reads the INFO line of a NATS server; `undefined` if none arrives within a second. */
export async function readGreeting(port: number): Promise<Greeting | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: "127.0.0.1", port, timeout: 1_000 });
    const finish = (greeting?: Greeting): void => {
      socket.destroy();
      resolve(greeting);
    };
    socket.setEncoding("utf8");
    socket.on("error", () => finish());
    socket.on("timeout", () => finish());
    socket.on("end", () => finish());
    socket.on("data", (chunk: string) => {
      text += chunk;
      const end = text.indexOf("\r\n");
      if (end >= 0) finish(parseGreeting(text.slice(0, end)));
      else if (text.length > 65_536) finish();
    });
  });
}

async function waitForGreeting(
  server: ServerProcess,
  port: number,
  serverName: string,
  signal: AbortSignal | undefined,
): Promise<Greeting | undefined> {
  const until = performance.now() + readyTimeoutMs;
  while (!server.hasExited() && performance.now() < until) {
    signal?.throwIfAborted();
    const greeting = await readGreeting(port);
    if (greeting?.serverName === serverName) return greeting;
    await Promise.race([server.exited, delay(20)]);
  }
  return undefined;
}

async function startOnPort(options: StartNats, port: number): Promise<EmbeddedNats | undefined> {
  const serverName = options.name ?? `tarsy-${randomUUID()}`;
  const config = writeConfig(options, port, serverName);
  const [command = options.binary, ...args] = dieWithParent([options.binary, "-c", config], "TERM");
  const server = spawnServer({ command, args, stateDir: options.dataDir, cwd: options.dataDir, stopSteps });
  try {
    const greeting = await waitForGreeting(server, port, serverName, options.signal);
    if (greeting !== undefined) {
      return {
        ...server,
        url: `nats://127.0.0.1:${port}`,
        port,
        serverId: greeting.serverId,
        version: greeting.version,
      };
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  await server.stop();
  return undefined;
}

/**
 * Starts a nats-server with JetStream on 127.0.0.1 and resolves when it answers. A killed server can be restarted on the
 * same data and port. A server that a killed owner left running on the data is stopped first.
 * @throws LaunchError if it cannot start (with its last log lines) or its data directory is in use.
 */
export async function startNats(options: StartNats): Promise<EmbeddedNats> {
  makePrivateDirectory(options.dataDir);
  await stopAbandonedServer(options.dataDir, stopSteps);
  // Another process can take the free port before the server binds it.
  for (let triesLeft = options.port === 0 ? 5 : 1; triesLeft > 0; triesLeft -= 1) {
    const port = options.port === 0 ? await freePort("127.0.0.1") : options.port;
    const nats = await startOnPort(options, port);
    if (nats !== undefined) return nats;
  }
  throw new LaunchError(
    `The embedded NATS server does not start; its last output:\n${lastLogLines(options.dataDir)}`,
  );
}
