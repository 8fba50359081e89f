import { join } from "node:path";
import { startNats, type EmbeddedNats, type NatsAccount } from "../../launcher/nats/start-nats.ts";
import { startPostgres, type EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { copyInitialCluster } from "./initial-cluster.ts";
import { killOnExit } from "./kill-on-exit.ts";

/** `TEST_SERVERS=containers` takes both from containers (npm run test:containers), else they are ordinary processes. */
const IN_CONTAINERS = process.env["TEST_SERVERS"] === "containers";
const { tools } = projectPaths(join(import.meta.dirname, "../.."));

interface StartServer {
  /** Holds the data of both servers, each in a folder of its own. */
  readonly directory: string;
  /** 0 takes any free one. */
  readonly port: number;
}

/** Starts Postgres on the data in `directory`; not durable, it gives up what only a power cut would need. */
export async function startPostgresIn({
  directory,
  port,
  durable,
}: StartServer & { readonly durable: boolean }): Promise<EmbeddedPostgres> {
  const options = { dataDir: join(directory, "postgres"), port, durable };
  if (IN_CONTAINERS) {
    // Loaded only where it is wanted: it brings a library of its own.
    const { startPostgresContainer } = await import("./container-servers.ts");
    return startPostgresContainer(options);
  }
  await copyInitialCluster(options.dataDir);
  const server = await startPostgres(options);
  const doomed = killOnExit(server.pid, "SIGQUIT");
  void server.exited.then(() => doomed[Symbol.dispose]());
  return server;
}

/** Starts NATS on the data in `directory`, with these accounts or open to all. */
export async function startNatsIn({
  directory,
  port,
  accounts = [],
}: StartServer & { readonly accounts?: readonly NatsAccount[] }): Promise<EmbeddedNats> {
  const options = { dataDir: join(directory, "nats"), port, accounts };
  if (IN_CONTAINERS) {
    const { startNatsContainer } = await import("./container-servers.ts");
    return startNatsContainer(options);
  }
  const binary = await findNatsServer({ toolsDir: tools, env: process.env, progress: () => undefined });
  const server = await startNats({ ...options, binary });
  const doomed = killOnExit(server.pid);
  void server.exited.then(() => doomed[Symbol.dispose]());
  return server;
}
