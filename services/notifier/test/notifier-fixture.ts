import { pino } from "pino";
import type { DataSource } from "typeorm";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { migrate } from "#shared/database/migrate.ts";
import { openDatabase } from "#shared/database/open-database.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { DEFAULT_LIMITS, type NotifierLimits } from "../limits.ts";
import { runNotifier } from "../run-notifier.ts";
import { TestSession } from "./test-session.ts";

const log = pino({ level: "silent" });

interface RunningNotifier {
  readonly url: string;
  readonly healthUrl: string;
  readonly stop: () => Promise<void>;
}

/** Notifiers on real servers, and sessions whose executor the test plays. */
export class NotifierFixture implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #stopping = new AbortController();
  readonly servers: BackingServers;
  readonly db: DataSource;
  readonly bus: Bus;

  private constructor(parts: { servers: BackingServers; db: DataSource; bus: Bus }) {
    this.servers = this.#resources.use(parts.servers);
    this.db = this.#resources.adopt(parts.db, async (db) => db.destroy());
    this.bus = this.#resources.use(parts.bus);
  }

  static async start(): Promise<NotifierFixture> {
    const { signal } = new AbortController();
    const servers = await BackingServers.start();
    const { url } = servers.postgres;
    const db = await openDatabase({ url, applicationName: "notifier-test", poolSize: 4, log, signal });
    await migrate(db, log);
    const bus = await openBus({ url: servers.nats.url, name: "notifier-test", log, signal });
    await ensureStreams(bus, { replicas: 1 });
    return new NotifierFixture({ servers, db, bus });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#resources.disposeAsync();
  }

  /** Starts a notifier with these limits. */
  async notifier(
    limits: Partial<NotifierLimits> = {},
    allowedOrigins?: readonly string[],
  ): Promise<RunningNotifier> {
    const resources = new AsyncDisposableStack();
    const host = "127.0.0.1";
    const { port, healthPort } = await runNotifier({
      config: {
        log: { level: "silent", format: "json" },
        health: { host, port: 0 },
        databaseUrl: this.servers.postgres.url,
        natsUrl: this.servers.nats.url,
        clients: { host, port: 0 },
        allowedOrigins,
        limits: { ...DEFAULT_LIMITS, ...limits },
      },
      log,
      signal: this.#stopping.signal,
      resources,
    });
    this.#resources.use(resources);
    return {
      url: `ws://${host}:${port}/ws`,
      healthUrl: `http://${host}:${healthPort}`,
      stop: async () => resources.disposeAsync(),
    };
  }

  /** A session without any event. */
  async newSession(): Promise<TestSession> {
    const session = new TestSession(this.db, this.bus);
    await this.db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, resolved_config, config_hash)
       VALUES ($1, 'disk full', 'kubernetes', 'kubernetes', '{}', 'hash')`,
      [session.id],
    );
    await this.db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [session.id]);
    return session;
  }
}
