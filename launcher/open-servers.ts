import type { Environment } from "#shared/environment.ts";
import { checkDatabase, checkNats } from "./check-reachable.ts";
import { startNats } from "./embedded-nats.ts";
import { startPostgres } from "./embedded-postgres.ts";
import { keepServer, type KeptServer } from "./keep-server.ts";
import { findNatsServer } from "./nats-binary.ts";
import type { ProjectPaths } from "./project-paths.ts";

/** PostgreSQL or NATS, whoever runs it. */
export type BackingServer = {
  readonly url: string;
  /** For people; without a password. */
  readonly description: string;
  /** Ours, kept running until it is stopped; `undefined` for one that was there before us. */
  readonly process: KeptServer | undefined;
};

export type BackingServers = { readonly postgres: BackingServer; readonly nats: BackingServer };

type OpenBackingServers = {
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

async function openPostgres({ env, paths, signal, progress }: OpenBackingServers): Promise<BackingServer> {
  const given = env["DATABASE_URL"];
  if (given !== undefined && given !== "") {
    await checkDatabase(given);
    return { url: given, description: `${withoutPassword(given)} (DATABASE_URL)`, process: undefined };
  }
  progress("starting the embedded PostgreSQL");
  const settings = { dataDir: paths.postgres, durable: true };
  const server = await startPostgres({ ...settings, port: 0, signal });
  return {
    url: server.url,
    description: `embedded PostgreSQL on 127.0.0.1:${server.port}, data in ${paths.postgres}`,
    process: keepServer({
      name: "the embedded PostgreSQL",
      first: server,
      start: async (stop) => startPostgres({ ...settings, port: server.port, signal: stop }),
      progress,
    }),
  };
}

async function openNats({ env, paths, signal, progress }: OpenBackingServers): Promise<BackingServer> {
  const given = env["NATS_URL"];
  if (given !== undefined && given !== "") {
    await checkNats(given);
    return { url: given, description: `${withoutPassword(given)} (NATS_URL)`, process: undefined };
  }
  const binary = await findNatsServer({ toolsDir: paths.tools, env, progress });
  progress("starting the embedded NATS server");
  const settings = { binary, dataDir: paths.nats };
  const server = await startNats({ ...settings, port: 0, signal });
  return {
    url: server.url,
    description: `embedded NATS ${server.version} on 127.0.0.1:${server.port}, data in ${paths.nats}`,
    process: keepServer({
      name: "the embedded NATS server",
      first: server,
      start: async (stop) => startNats({ ...settings, port: server.port, signal: stop }),
      progress,
    }),
  };
}

/**
 * Checks the servers that the environment names and starts the others. When one fails, the other is stopped.
 * @throws LaunchError with the remedy; the signal's reason once it aborts.
 */
export async function openBackingServers(options: OpenBackingServers): Promise<BackingServers> {
  const starting = [openPostgres(options), openNats(options)] as const;
  try {
    const [postgres, nats] = await Promise.all(starting);
    return { postgres, nats };
  } catch (error) {
    // The other one may be halfway: it has to be there before it can be stopped.
    for (const result of await Promise.allSettled(starting)) {
      if (result.status === "fulfilled") await result.value.process?.stop();
    }
    throw error;
  }
}
