import { pino } from "pino";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { keepConfig } from "#shared/database/resolved-configs.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { startNotifier, type RunningNotifier } from "../../../test/support/start-notifier.ts";
import type { NotifierLimits } from "../limits.ts";
import { TestSession } from "./test-session.ts";
import type { Database } from "#shared/database/database.ts";

const log = pino({ level: "silent" });

interface PlannedStage {
  readonly name: string;
  readonly agents?: number;
  readonly synthesis?: boolean;
}

/** Notifiers on real servers, and sessions whose events the test writes in place of an executor. */
export class NotifierFixture implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #stopping = new AbortController();
  readonly servers: BackingServers;
  readonly db: Database;
  readonly bus: Bus;

  private constructor(parts: { servers: BackingServers; db: Database; bus: Bus }) {
    this.servers = this.#resources.use(parts.servers);
    this.db = this.#resources.use(parts.db);
    this.bus = this.#resources.use(parts.bus);
  }

  static async start({ ownServers = false } = {}): Promise<NotifierFixture> {
    const { signal } = new AbortController();
    const servers = await BackingServers.choose({ ownServers });
    const { url } = servers.postgres;
    const db = await openDatabase({ url, applicationName: "notifier-test", poolSize: 4, log, signal });
    await servers.migrate();
    const bus = await openBus({ url: servers.nats.url, name: "notifier-test", log, signal });
    await ensureStreams(bus, { replicas: 1 });
    return new NotifierFixture({ servers, db, bus });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#resources.disposeAsync();
  }

  /** Starts a notifier with these limits, which reads from the fixture's Postgres unless `databaseUrl` is another way to it. */
  async notifier(
    limits: Partial<NotifierLimits> = {},
    access?: Readonly<Record<string, string>>,
    databaseUrl = this.servers.postgres.serviceUrls.notifier,
  ): Promise<RunningNotifier> {
    const notifier = await startNotifier({
      databaseUrl,
      natsUrl: this.servers.natsUrl("notifier"),
      limits,
      ...(access === undefined ? {} : { access }),
      signal: this.#stopping.signal,
    });
    return this.#resources.use(notifier);
  }

  /** A session without any event; by default its chain has one stage with one agent. */
  async newSession(stages: readonly PlannedStage[] = [{ name: "analysis" }]): Promise<TestSession> {
    const session = new TestSession(this.db, this.bus);
    const chain = {
      stages: stages.map(({ name, agents = 1, synthesis = false }) => ({
        name,
        agents: Array.from({ length: agents }, () => ({})),
        ...(synthesis ? { synthesis: {} } : {}),
      })),
    };
    const json = JSON.stringify(chain);
    const hash = textHash(json);
    await keepConfig(this.db, { hash, json });
    await this.db.query(
      `INSERT INTO alert_sessions (session_id, alert_data, agent_type, chain_id, config_hash)
       VALUES ($1, 'disk full', 'kubernetes', 'kubernetes', $2)`,
      [session.id, hash],
    );
    await this.db.query("INSERT INTO session_runtime (session_id) VALUES ($1)", [session.id]);
    return session;
  }
}
