import { Client } from "pg";
import { pino } from "pino";
import { migrate } from "#shared/database/migrate.ts";
import { changeUrls, type ServiceUrls } from "#shared/database/service-urls.ts";
import type { EmbeddedNats } from "../../launcher/nats/start-nats.ts";
import type { EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { NatsUsers } from "./nats-users.ts";
import { serverDirectory } from "./server-directory.ts";
import { startNatsIn, startPostgresIn } from "./start-servers.ts";

const TEMPLATE = "migrated";
/** More than all test files need if one process runs them all. */
const ACCOUNTS = 128;

interface WorkerServers {
  readonly directory: string;
  readonly postgres: EmbeddedPostgres;
  readonly nats: EmbeddedNats;
  /** Accounts that no test file has used yet. */
  readonly accounts: NatsUsers[];
}

/** A database and a NATS account that no other test file uses. */
interface ServerShare {
  readonly directory: string;
  readonly database: { readonly name: string; readonly url: string; readonly serviceUrls: ServiceUrls };
  /** The users of the NATS account. */
  readonly users: NatsUsers;
  readonly postgres: EmbeddedPostgres;
  readonly nats: EmbeddedNats;
}

let servers: Promise<WorkerServers> | undefined;
let shares = 0;

/**
 * A new database at the newest migration and an unused NATS account, both empty, on the Postgres and the NATS of this
 * process. They start with the first call and end with the process, which in `mocha --parallel` is a worker.
 */
export async function takeServerShare(): Promise<ServerShare> {
  servers ??= startWorkerServers();
  const { accounts, ...shared } = await servers;
  const users = accounts.pop();
  if (users === undefined) throw new Error(`all ${ACCOUNTS} NATS accounts of this process are used up`);
  shares += 1;
  const name = `test_${shares}`;
  await asOwner(shared.postgres.url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  return {
    ...shared,
    // The privileges of the services' roles are copied with the template, the roles belong to the server.
    database: {
      name,
      url: withDatabase(shared.postgres.url, name),
      serviceUrls: changeUrls(shared.postgres.serviceUrls, (url) => withDatabase(url, name)),
    },
    users,
  };
}

async function startWorkerServers(): Promise<WorkerServers> {
  const directory = await serverDirectory();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => new NatsUsers(`${index}-`));
  const [postgres, nats] = await Promise.all([
    startMigratedPostgres(directory),
    startNatsIn({
      directory,
      port: 0,
      accounts: accounts.map(({ list }, index) => ({ name: `test-${index}`, users: list })),
    }),
  ]);
  return { directory, postgres, nats, accounts };
}

async function startMigratedPostgres(directory: string): Promise<EmbeddedPostgres> {
  const postgres = await startPostgresIn({ directory, port: 0, durable: false });
  await asOwner(postgres.url, `CREATE DATABASE ${TEMPLATE}`);
  const log = pino({ level: "silent" });
  const url = withDatabase(postgres.url, TEMPLATE);
  await migrate({ url }, log);
  return postgres;
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function asOwner(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
