import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { pino } from "pino";
import type { DataSource } from "typeorm";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import type { SessionEvent, SessionEventPayload } from "#shared/contracts/session-event.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import { migrate } from "#shared/database/migrate.ts";
import { openDatabase } from "#shared/database/open-database.ts";
import { startNats, type EmbeddedNats } from "../../../launcher/embedded-nats.ts";
import { startPostgres, type EmbeddedPostgres } from "../../../launcher/embedded-postgres.ts";
import { findNatsServer } from "../../../launcher/nats-binary.ts";
import { DEFAULT_LIMITS, type NotifierLimits } from "../limits.ts";
import { runNotifier } from "../run-notifier.ts";

/** A notifier on real servers, and the hands of an executor that feeds it. */
export class NotifierFixture implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #stopping = new AbortController();
  readonly log = pino({ level: env["TEST_LOG_LEVEL"] ?? "silent" });
  readonly #directory: string;
  nats: EmbeddedNats;
  postgres: EmbeddedPostgres;
  readonly db: DataSource;
  readonly bus: Bus;

  private constructor(parts: {
    directory: string;
    nats: EmbeddedNats;
    postgres: EmbeddedPostgres;
    db: DataSource;
    bus: Bus;
  }) {
    this.#directory = parts.directory;
    this.nats = parts.nats;
    this.postgres = parts.postgres;
    this.db = parts.db;
    this.bus = parts.bus;
  }

  static async start(): Promise<NotifierFixture> {
    const log = pino({ level: "silent" });
    const { signal } = new AbortController();
    const directory = await mkdtemp(join(tmpdir(), "tarsy-notifier-"));
    const binary = await findNatsServer({
      toolsDir: join(import.meta.dirname, "../../../.tarsy/tools"),
      env,
      progress: () => undefined,
    });
    const [nats, postgres] = await Promise.all([
      startNats({ binary, dataDir: join(directory, "nats"), port: 0 }),
      startPostgres({ dataDir: join(directory, "postgres"), port: 0, durable: false }),
    ]);
    const db = await openDatabase({
      url: postgres.url,
      applicationName: "notifier-test",
      poolSize: 4,
      log,
      signal,
    });
    await migrate(db, log);
    const bus = await openBus({ url: nats.url, name: "notifier-test", log, signal });
    await ensureStreams(bus, { replicas: 1 });
    const fixture = new NotifierFixture({ directory, nats, postgres, db, bus });
    fixture.#resources.defer(async () => rm(directory, { recursive: true, force: true }));
    fixture.#resources.defer(async () => {
      await Promise.all([fixture.nats.stop(), fixture.postgres.stop()]);
    });
    fixture.#resources.defer(async () => db.destroy());
    fixture.#resources.use(bus);
    return fixture;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#resources.disposeAsync();
  }

  /** Runs one more notifier with these limits; returns where it listens and how to stop it. */
  async notifier(
    limits: Partial<NotifierLimits> = {},
    allowedOrigins?: readonly string[],
  ): Promise<{ url: string; healthUrl: string; stop: () => Promise<void> }> {
    const resources = new AsyncDisposableStack();
    const host = "127.0.0.1";
    const { port, healthPort } = await runNotifier({
      config: {
        log: { level: "silent", format: "json" },
        health: { host, port: 0 },
        databaseUrl: this.postgres.url,
        natsUrl: this.nats.url,
        clients: { host, port: 0 },
        allowedOrigins,
        limits: { ...DEFAULT_LIMITS, ...limits },
      },
      log: this.log,
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

  /** Kills NATS, and returns how to start it again on the same port and data. */
  async killNats(): Promise<() => Promise<void>> {
    const { port, pid, exited } = this.nats;
    process.kill(pid, "SIGKILL");
    await exited;
    return async () => {
      const binary = await findNatsServer({
        toolsDir: join(import.meta.dirname, "../../../.tarsy/tools"),
        env,
        progress: () => undefined,
      });
      this.nats = await startNats({ binary, dataDir: join(this.#directory, "nats"), port });
    };
  }

  async restartPostgres(): Promise<void> {
    const { port } = this.postgres;
    await this.postgres.stop();
    this.postgres = await startPostgres({
      dataDir: join(this.#directory, "postgres"),
      port,
      durable: false,
    });
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

/** What an executor does for one session. */
export class TestSession {
  readonly id = randomUUID();
  readonly stageId = randomUUID();
  readonly executionId = randomUUID();
  readonly #db: DataSource;
  readonly #bus: Bus;
  #sequence = 0;

  constructor(db: DataSource, bus: Bus) {
    this.#db = db;
    this.#bus = bus;
  }

  /** Commits events without telling the bus. */
  async commit(...payloads: SessionEventPayload[]): Promise<SessionEvent[]> {
    const events = await this.#db.transaction(async (manager) =>
      appendEvents(manager, this.id, { kind: "system" }, payloads),
    );
    if (events === null) throw new Error("the session does not exist");
    return events;
  }

  /** Commits events and sends them. */
  async emit(...payloads: SessionEventPayload[]): Promise<SessionEvent[]> {
    const events = await this.commit(...payloads);
    for (const event of events) await publishEvent(this.#bus, event);
    return events;
  }

  status(status: "in_progress" | "cancelling" = "in_progress"): SessionEventPayload {
    return { type: "session.status", session_id: this.id, status, timestamp: now() };
  }

  ended(error_message?: string): SessionEventPayload {
    const status = error_message === undefined ? "completed" : "failed";
    const message = error_message === undefined ? {} : { error_message };
    return { type: "session.completed", session_id: this.id, status, ...message, timestamp: now() };
  }

  /** An event that arrives whole. */
  whole(content: string): SessionEventPayload {
    return { ...this.#created(randomUUID()), status: "completed", content, metadata: null };
  }

  /** An event that opens empty; its text comes in chunks. */
  opened(eventId: string): SessionEventPayload {
    return { ...this.#created(eventId), status: "streaming", content: "" };
  }

  closed(eventId: string, content: string): SessionEventPayload {
    return {
      type: "timeline_event.completed",
      event_id: eventId,
      session_id: this.id,
      event_type: "llm_thinking",
      status: "completed",
      content,
      timestamp: now(),
    };
  }

  /** The row of an open event, for notifiers that come to a session in mid-stream. */
  async storeOpenRow(eventId: string): Promise<void> {
    await this.#db.query(
      `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
       VALUES ($1, $2, 'analysis', 0, 1) ON CONFLICT DO NOTHING`,
      [this.stageId, this.id],
    );
    await this.#db.query(
      `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index,
         iteration_strategy, iteration_state, llm_provider)
       VALUES ($1, $2, $3, 'agent', 1, 'react', '{}', 'scripted') ON CONFLICT DO NOTHING`,
      [this.executionId, this.stageId, this.id],
    );
    await this.#db.query(
      `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, content)
       VALUES ($1, $2, $3, $4, $5, 'llm_thinking', '')`,
      [eventId, this.id, this.stageId, this.executionId, (this.#sequence += 1)],
    );
  }

  #created(eventId: string) {
    return {
      type: "timeline_event.created" as const,
      event_id: eventId,
      session_id: this.id,
      stage_id: this.stageId,
      execution_id: this.executionId,
      event_type: "llm_thinking" as const,
      sequence_number: (this.#sequence += 1),
      timestamp: now(),
    };
  }
}

function now(): string {
  return new Date().toISOString();
}
