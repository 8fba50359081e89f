import { randomBytes } from "node:crypto";
import { connect as connectNats } from "nats";
import { Client } from "pg";
import { pino } from "pino";
import { Type, type Static } from "typebox";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { migrate } from "#shared/database/schema/migrate.ts";
import { changeUrls } from "#shared/database/schema/service-urls.ts";
import type { EmbeddedNats } from "../../launcher/nats/start-nats.ts";
import type { ServerProcess } from "../../launcher/process/server-process.ts";
import type { EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { NatsUsers } from "./nats-users.ts";
import { serverDirectory } from "./server-directory.ts";
import { startNatsIn, startPostgresIn } from "./start-servers.ts";

/** Names the servers of a whole run to the processes of its test files: a RunServers as JSON. */
const RUN_SERVERS_VARIABLE = "TEST_RUN_SERVERS";
const TEMPLATE = "migrated";
/** Counts the shares over all processes of the run. */
const COUNTER = "share_numbers";
/** More than a run has test files with servers. */
const ACCOUNTS = 600;

const RunServers = Type.Object({
  directory: Type.String(),
  /** The password of all users of NATS. */
  password: Type.String(),
  postgres: Type.Object({
    pid: Type.Integer(),
    port: Type.Integer(),
    url: Type.String(),
    adminUrl: Type.String(),
    serviceUrls: Type.Object({
      api: Type.String(),
      executor: Type.String(),
      "tool-runner": Type.String(),
      notifier: Type.String(),
    }),
  }),
  nats: Type.Object({
    pid: Type.Integer(),
    port: Type.Integer(),
    url: Type.String(),
    serverId: Type.String(),
    version: Type.String(),
  }),
});
type RunServers = Static<typeof RunServers>;
const parseRunServers = compileParser(RUN_SERVERS_VARIABLE, RunServers);
const parseNumber = compileParser("share number", Type.Object({ number: Type.Integer() }));

/** A database and a NATS account that no other test file uses, and the servers they are on. */
export interface ServerShare extends AsyncDisposable {
  readonly directory: string;
  /** Its URLs lead to the database. */
  readonly postgres: EmbeddedPostgres;
  readonly nats: EmbeddedNats;
  /** The users of the NATS account. */
  readonly users: NatsUsers;
}

/** What a process may do with a server that another one has started. */
const NOT_OURS: Omit<ServerProcess, "pid"> = {
  exited: new Promise(() => undefined),
  hasExited: () => false,
  stop: () => Promise.reject(new Error("other test files use these servers: start servers of your own")),
};

let servers: Promise<RunServers> | undefined;

/**
 * A new database at the newest migration and an unused NATS account, both empty. They are on the Postgres and the NATS of the run
 * that `startRunServers` has started; without such a run they start with the first call and end with the process.
 */
export async function takeServerShare(): Promise<ServerShare> {
  const given = process.env[RUN_SERVERS_VARIABLE];
  servers ??= given === undefined ? startServers() : Promise.resolve(parseRunServers(JSON.parse(given)));
  const run = await servers;
  const [row] = await query(run.postgres.url, `SELECT nextval('${COUNTER}')::int AS number`);
  const { number } = parseNumber(row);
  if (number > ACCOUNTS) throw new Error(`all ${ACCOUNTS} NATS accounts of this run are used up`);
  const name = `test_${number}`;
  // Copied as files it takes a third of the time of the processor that a copy through the log takes.
  await query(run.postgres.url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`);
  const users = usersOf(number, run.password);
  const inDatabase = (url: string) => withDatabase(url, name);
  return {
    directory: run.directory,
    postgres: {
      ...run.postgres,
      ...NOT_OURS,
      url: inDatabase(run.postgres.url),
      // The privileges of the services' roles are copied with the template, the roles belong to the server.
      serviceUrls: changeUrls(run.postgres.serviceUrls, inDatabase),
    },
    nats: { ...run.nats, ...NOT_OURS },
    users,
    [Symbol.asyncDispose]: async () => {
      // As an administrator, who may also end an autovacuum worker there.
      await query(run.postgres.adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      await deleteStreams(users.url(run.nats.url, "test"));
    },
  };
}

/** Starts a Postgres and a NATS for the test files of a run. Resolves with the variables by which their processes find them. */
export async function startRunServers(): Promise<Readonly<Record<string, string>>> {
  return { [RUN_SERVERS_VARIABLE]: JSON.stringify(await startServers()) };
}

async function startServers(): Promise<RunServers> {
  const directory = await serverDirectory();
  const password = randomBytes(12).toString("hex");
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `test-${index + 1}`,
    users: usersOf(index + 1, password).list,
  }));
  const [postgres, nats] = await Promise.all([
    startMigratedPostgres(directory),
    startNatsIn({ directory, port: 0, accounts }),
  ]);
  return parseRunServers(JSON.parse(JSON.stringify({ directory, password, postgres, nats })));
}

async function startMigratedPostgres(directory: string): Promise<EmbeddedPostgres> {
  const postgres = await startPostgresIn({ directory, port: 0, durable: false });
  await query(postgres.url, `CREATE SEQUENCE ${COUNTER}`);
  await query(postgres.url, `CREATE DATABASE ${TEMPLATE}`);
  await migrate({ url: withDatabase(postgres.url, TEMPLATE) }, pino({ level: "silent" }));
  return postgres;
}

function usersOf(number: number, password: string): NatsUsers {
  return new NatsUsers(`${number}-`, password);
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows }: { rows: unknown[] } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}

async function deleteStreams(url: string): Promise<void> {
  const connection = await connectNats(parseNatsAddress(url));
  try {
    const { streams } = await connection.jetstreamManager();
    for await (const { config } of streams.list()) await streams.delete(config.name);
  } finally {
    await connection.close();
  }
}
