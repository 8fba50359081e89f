import { requireDatabaseAddress } from "#shared/database/connection/database-address.ts";
import { BUS_USERS, type BusUser } from "#shared/contracts/subjects.ts";
import { sameUrls, type ServiceUrls } from "#shared/database/schema/service-urls.ts";
import { type Environment, secretVariable } from "#shared/service/environment.ts";
import { checkDatabaseUrl, checkNatsUrl } from "./check-server-urls.ts";
import { natsUrlOf, openNatsPasswords } from "./nats/nats-passwords.ts";
import { startNats } from "./nats/start-nats.ts";
import { startPostgres } from "./postgres/start-postgres.ts";
import { superviseServer, type SupervisedServer } from "./supervisor/supervise-server.ts";
import { findNatsServer } from "./nats/find-nats-server.ts";
import type { ProjectPaths } from "./project-paths.ts";

/** PostgreSQL or NATS, embedded or given by its URL. */
type ServerEndpoint = {
  /** The user's address of it, without a password. */
  readonly description: string;
  /** The embedded server, restarted until it is stopped; `undefined` for a server given by its URL. */
  readonly process: SupervisedServer | undefined;
};

export type ServerEndpoints = {
  /** `url` is that of the owner of the tables; the services have URLs of their own. */
  readonly postgres: ServerEndpoint & { readonly url: string; readonly serviceUrls: ServiceUrls };
  readonly nats: ServerEndpoint & {
    /** The URL for a user: of the embedded server with its password, otherwise the given one. */
    readonly urlOf: (user: BusUser) => string;
  };
};

type OpenServers = {
  readonly env: Environment;
  readonly paths: ProjectPaths;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
};

function withoutPassword(text: string): string {
  return text
    .split(",")
    .map((part) => URL.parse(part.trim()))
    .map((url) => (url === null ? "" : `${url.host}${url.pathname === "/" ? "" : url.pathname}`))
    .join(", ");
}

async function openPostgres(options: OpenServers): Promise<ServerEndpoints["postgres"]> {
  const { env, paths, signal, progress } = options;
  const given = secretVariable(env, "DATABASE_URL");
  if (given !== "") {
    await checkDatabaseUrl(given);
    return {
      url: given,
      serviceUrls: sameUrls(given),
      description: `${requireDatabaseAddress(given).place} (DATABASE_URL)`,
      process: undefined,
    };
  }
  progress("starting the embedded PostgreSQL");
  const settings = { dataDir: paths.postgres, durable: true };
  const server = await startPostgres({ ...settings, port: 0, signal });
  return {
    url: server.url,
    serviceUrls: server.serviceUrls,
    description: `embedded PostgreSQL on 127.0.0.1:${server.port}, data in ${paths.postgres}`,
    process: superviseServer({
      name: "the embedded PostgreSQL",
      first: server,
      start: async (stop) => startPostgres({ ...settings, port: server.port, signal: stop }),
      progress,
    }),
  };
}

async function openNats(options: OpenServers): Promise<ServerEndpoints["nats"]> {
  const { env, paths, signal, progress } = options;
  const given = secretVariable(env, "NATS_URL");
  if (given !== "") {
    await checkNatsUrl(given);
    const admin = secretVariable(env, "NATS_ADMIN_URL");
    return {
      urlOf: (user) => (user === "stream-admin" && admin !== "" ? admin : given),
      description: `${withoutPassword(given)} (NATS_URL)`,
      process: undefined,
    };
  }
  const binary = await findNatsServer({ toolsDir: paths.tools, env, progress });
  progress("starting the embedded NATS server");
  const passwords = openNatsPasswords(paths.nats);
  const passwordOf = (user: BusUser): string => passwords.get(user) ?? "";
  const users = BUS_USERS.map((user) => ({
    name: user,
    password: JSON.stringify(passwordOf(user)),
    may: user,
  }));
  const settings = { binary, dataDir: paths.nats, users };
  const server = await startNats({ ...settings, port: 0, signal });
  return {
    urlOf: (user) => natsUrlOf(server.url, user, passwordOf(user)),
    description: `embedded NATS ${server.version} on 127.0.0.1:${server.port}, data in ${paths.nats}`,
    process: superviseServer({
      name: "the embedded NATS server",
      first: server,
      start: async (stop) => startNats({ ...settings, port: server.port, signal: stop }),
      progress,
    }),
  };
}

/**
 * Checks the servers that the environment names and starts the others. If one fails, the other is stopped.
 * @throws LaunchError with the remedy; the signal's reason once it aborts.
 */
export async function openServers(options: OpenServers): Promise<ServerEndpoints> {
  const starting = [openPostgres(options), openNats(options)] as const;
  try {
    const [postgres, nats] = await Promise.all(starting);
    return { postgres, nats };
  } catch (error) {
    // The other server may still be starting; it can only be stopped after that.
    for (const result of await Promise.allSettled(starting)) {
      if (result.status === "fulfilled") await result.value.process?.stop();
    }
    throw error;
  }
}
