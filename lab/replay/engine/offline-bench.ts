import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Database } from "#shared/database/database.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import type { Logger } from "#shared/service/logger.ts";
import { copyMigratedCluster } from "../../../launcher/postgres/copy-migrated-cluster.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { PROJECT_ROOT } from "../../../scripts/tarsy/project-root.ts";
import { startPostgres, type EmbeddedPostgres } from "../../../launcher/postgres/start-postgres.ts";
import {
  openOfflineExecutor,
  type OfflineExecutor,
  type OfflineExecutorOptions,
} from "./offline-executor.ts";

/** Of the owner's connections: imports and readings, a few at a time. */
const OWNER_CONNECTIONS = 4;

/**
 * A Postgres of this version's schema that only this process reaches, by a Unix socket, for sessions that run in this process. It needs
 * no network, not even this machine's own. Its data are gone once it is disposed of.
 */
export class OfflineBench implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #postgres: EmbeddedPostgres;
  /** Connects as the owner of the tables, to insert sessions and to read their rows. */
  readonly db: Database;
  readonly log: Logger;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    postgres: EmbeddedPostgres;
    db: Database;
    log: Logger;
  }) {
    this.#resources = parts.resources;
    this.#postgres = parts.postgres;
    this.db = parts.db;
    this.log = parts.log;
  }

  /** Starts Postgres with the schema of this version. Throws LaunchError if it cannot start, and the signal's reason. */
  static async open({
    signal,
    log = pino({ level: "silent" }),
  }: {
    readonly signal: AbortSignal;
    /** Of the sessions that run; by default nothing is logged. */
    readonly log?: Logger;
  }): Promise<OfflineBench> {
    await using opened = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "tarsy-replay-"));
    opened.defer(() => rm(directory, { recursive: true, force: true }));
    const dataDir = join(directory, "postgres");
    await copyMigratedCluster(projectPaths(PROJECT_ROOT).clusters, dataDir, signal);
    const postgres = await startPostgres({
      dataDir,
      port: "socket",
      durable: false,
      signal,
    });
    opened.defer(() => postgres.stop());
    const db = opened.use(
      await openDatabase({
        url: postgres.url,
        applicationName: "tarsy-replay",
        poolSize: OWNER_CONNECTIONS,
        log,
        signal,
      }),
    );
    return new OfflineBench({ resources: opened.move(), postgres, db, log });
  }

  /** An executor on this database; the caller disposes of it before the bench. */
  async openExecutor(options: OfflineExecutorOptions): Promise<OfflineExecutor> {
    return openOfflineExecutor({ databaseUrl: this.#postgres.serviceUrls.executor, log: this.log }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
