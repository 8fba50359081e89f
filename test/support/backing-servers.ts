import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startNats, type EmbeddedNats } from "../../launcher/nats/start-nats.ts";
import { startPostgres, type EmbeddedPostgres } from "../../launcher/postgres/start-postgres.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";

const TOOLS_DIR = join(import.meta.dirname, "../../.tarsy/tools");

export interface BackingServersOptions {
  readonly durable?: boolean;
  /** Called with the directory before `postgres` and `nats` are made in it. */
  readonly prepare?: (directory: string) => void;
}

/** A real Postgres and a real NATS of a test's own, on free ports, in a directory that goes with them. */
export class BackingServers implements AsyncDisposable {
  /** Holds both servers' data. */
  readonly directory: string;
  readonly #durable: boolean;
  postgres: EmbeddedPostgres;
  nats: EmbeddedNats;

  private constructor(
    directory: string,
    durable: boolean,
    { postgres, nats }: { postgres: EmbeddedPostgres; nats: EmbeddedNats },
  ) {
    this.directory = directory;
    this.#durable = durable;
    this.postgres = postgres;
    this.nats = nats;
  }

  /** Not durable, Postgres gives up what only a power cut would need; a benchmark wants the real price of a commit. */
  static async start({ durable = false, prepare }: BackingServersOptions = {}): Promise<BackingServers> {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-test-"));
    prepare?.(directory);
    const [postgres, nats] = await Promise.all([
      startPostgresIn(directory, 0, durable),
      startNatsIn(directory, 0),
    ]);
    return new BackingServers(directory, durable, { postgres, nats });
  }

  /** Asks Postgres behind the system's back. */
  async query(sql: string, parameters: unknown[]): Promise<unknown[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      const { rows }: { rows: unknown[] } = await client.query(sql, parameters);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Kills NATS; its data stays. */
  async killNats(): Promise<void> {
    process.kill(this.nats.pid, "SIGKILL");
    await this.nats.exited;
  }

  /** Starts NATS again on its port and data. */
  async restartNats(): Promise<void> {
    this.nats = await startNatsIn(this.directory, this.nats.port);
  }

  /** Ends Postgres at once, as its "immediate" mode does: no checkpoint, every connection broken. */
  async crashPostgres(): Promise<void> {
    process.kill(this.postgres.pid, "SIGQUIT");
    await this.postgres.exited;
  }

  async stopPostgres(): Promise<void> {
    await this.postgres.stop();
  }

  /** Starts Postgres again on its port and data. */
  async restartPostgres(): Promise<void> {
    const { port } = this.postgres;
    this.postgres = await startPostgresIn(this.directory, port, this.#durable);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** `TEST_SERVERS=containers` takes both from containers (npm run test:containers), else they are ordinary processes. */
const IN_CONTAINERS = process.env["TEST_SERVERS"] === "containers";

async function startPostgresIn(directory: string, port: number, durable: boolean): Promise<EmbeddedPostgres> {
  const options = { dataDir: join(directory, "postgres"), port, durable };
  if (!IN_CONTAINERS) return startPostgres(options);
  // Loaded only where it is wanted: it brings a library of its own.
  const { startPostgresContainer } = await import("./container-servers.ts");
  return startPostgresContainer(options);
}

async function startNatsIn(directory: string, port: number): Promise<EmbeddedNats> {
  if (IN_CONTAINERS) {
    const { startNatsContainer } = await import("./container-servers.ts");
    return startNatsContainer({ dataDir: join(directory, "nats"), port });
  }
  const binary = await findNatsServer({ toolsDir: TOOLS_DIR, env: process.env, progress: () => undefined });
  return startNats({ binary, dataDir: join(directory, "nats"), port });
}
