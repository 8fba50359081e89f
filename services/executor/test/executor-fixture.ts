import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { Registry } from "prom-client";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { queueAdmin } from "#shared/bus/queue-admin.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SELF_FENCE_MS, TIME_SCALE } from "#shared/contracts/durations.ts";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { Masker } from "#shared/masking/masker.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { LOOK_UPS } from "#shared/database/connection/statement-limits.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { keepBudgets } from "../budget/budget-source.ts";
import { claimSession } from "../claim-session.ts";
import type { ClaimOutcome, SessionClaim } from "../session-claim.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { createExecutorMetrics } from "../executor-metrics.ts";
import { FEATURES } from "../features/features.ts";
import { keepCircuits } from "../llm/provider-circuits.ts";
import { openLlmClient } from "../llm/open-llm-client.ts";
import { openOwnedSession, type OwnedSession } from "../core/owned-session.ts";
import { LEASE_TIMES, keepLeases } from "../session-lease.ts";
import { resolvedChain, type ChainOptions } from "./resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";

/** The errors that executors of this process have logged, oldest first. */
export const loggedErrors: string[] = [];
const log = pino({ level: "error" }, { write: (line: string) => void loggedErrors.push(line) });
const MAX_RUNNING = 5;

/** Nothing but the session itself explains an expired lease. */
const NO_NEWS = { natsUpMs: Infinity, postgresCounts: false };

/** A message that a listener on the bus received for one session. */
export type Heard = { readonly seq: number } | StreamChunk;

/** The present of all agents, so that the messages of two sessions can be compared. */
export const NOW_MS = Date.parse("2026-12-25T08:00:00Z");

/** The same for every session, so that the messages of two can be compared. */
const NONCE = "5e551011-0000-4000-8000-000000000000";

/** The parts of an executor in this process, with a real Postgres and NATS. */
export class ExecutorFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #never = new AbortController();
  readonly servers: BackingServers;
  readonly deps: ExecutorDeps;
  /** The test's own connection, which may do everything. */
  readonly bus: Bus;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    servers: BackingServers;
    deps: ExecutorDeps;
    bus: Bus;
  }) {
    this.#resources = parts.resources;
    this.servers = parts.servers;
    this.deps = parts.deps;
    this.bus = parts.bus;
  }

  static async start({ gateway = "127.0.0.1:1", ownServers = false } = {}): Promise<ExecutorFixture> {
    const resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.choose({ ownServers }));
    await servers.migrate();
    const deps = await openDeps(resources, servers, gateway);
    const { signal } = new AbortController();
    const bus = resources.use(await openBus({ url: servers.nats.url, name: "test", log, signal }));
    const fixture = new ExecutorFixture({ resources, servers, deps, bus });
    await fixture.prepareQueue();
    return fixture;
  }

  /** Creates the streams and the consumer as the api does. */
  async prepareQueue(): Promise<void> {
    const url = this.servers.natsUrl("stream-admin");
    const { signal } = this.#never;
    const admin = queueAdmin({
      url,
      name: "test",
      replicas: 1,
      limits: { maxSessions: MAX_RUNNING, maxFollowups: 2 },
      assertConnected: () => undefined,
      log,
      signal,
    });
    await admin.prepare();
  }

  get db(): Database {
    return this.deps.db;
  }

  /** Parts of another executor process on the same servers. */
  async another(
    resources: AsyncDisposableStack,
    gateway = "127.0.0.1:1",
    options: Partial<DepsOptions> = {},
  ): Promise<ExecutorDeps> {
    return openDeps(resources, this.servers, gateway, options);
  }

  /** A pending session as the api inserts it. */
  async insert(options: ChainOptions & { alert?: string } = {}): Promise<string> {
    const id = randomUUID();
    const config = storedConfig(resolvedChain(options));
    await keepConfig(this.db, config);
    await this.query(
      `WITH session AS (
         INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, prompt_nonce)
         VALUES ($1, $2, 'test', 'test', 'test-chain', $3, '${NONCE}') RETURNING session_id)
       INSERT INTO session_runtime (session_id) SELECT session_id FROM session`,
      [id, options.alert ?? "disk full", config.hash],
    );
    return id;
  }

  async query(sql: string, parameters: unknown[]): Promise<unknown[]> {
    return this.servers.query(sql, parameters);
  }

  /** The one row of a session in a table. */
  async row(table: "alert_sessions" | "session_runtime", columns: string, id: string): Promise<unknown> {
    const [row] = await this.query(`SELECT ${columns} FROM ${table} WHERE session_id = $1`, [id]);
    return row;
  }

  /** A session's event log: number, type, kind and status of each. */
  async events(id: string): Promise<unknown[]> {
    return this.query(
      `SELECT seq, payload ->> 'type' AS type, payload ->> 'event_type' AS kind, payload ->> 'status' AS status
       FROM events WHERE session_id = $1 ORDER BY seq`,
      [id],
    );
  }

  async claim(id: string): Promise<SessionClaim> {
    const claim = await claimSession(this.db, id, "test-pod", NO_NEWS);
    if (claim.kind !== "claimed") throw new Error(`not claimed: ${claim.kind}`);
    return claim;
  }

  async tryClaim(id: string): Promise<ClaimOutcome["kind"]> {
    return (await claimSession(this.db, id, "test-pod", NO_NEWS)).kind;
  }

  /** Claims a session and opens it as its owner. */
  async own(id: string, deps = this.deps): Promise<OwnedSession> {
    const { signal } = this.#never;
    return openOwnedSession(deps, await this.claim(id), { stop: signal, abort: signal });
  }

  /** Expires a lease, as if its owner had been killed. */
  async expireLease(id: string): Promise<void> {
    await this.query(
      "UPDATE session_runtime SET lease_expires_at = now() - interval '1 s' WHERE session_id = $1",
      [id],
    );
  }

  /** Cancels a session as the api does, without the cancel message. */
  async cancel(id: string): Promise<void> {
    await this.query("UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = $1", [id]);
    await this.query("UPDATE session_runtime SET cancel_requested_at = now() WHERE session_id = $1", [id]);
  }

  /** Listens to a session's events and chunks on a separate connection. */
  async listen(id: string): Promise<Heard[]> {
    const { signal } = this.#never;
    const bus = this.#resources.use(
      await openBus({ url: this.servers.nats.url, name: "listener", log, signal }),
    );
    const heard: Heard[] = [];
    const events = subscribe(bus, SUBJECTS.events(id), busEventCodec, (event) => heard.push(event));
    const chunks = subscribe(bus, SUBJECTS.chunks(id), streamChunkCodec, (chunk) => heard.push(chunk));
    await Promise.all([events.live(), chunks.live()]);
    return heard;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

interface DepsOptions {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly verifiesState: boolean;
  readonly toolCallMs: number;
  readonly costEstimation: CostEstimation;
  readonly llmTries: number;
}

async function openDeps(
  resources: AsyncDisposableStack,
  servers: BackingServers,
  gateway: string,
  {
    databaseUrl = servers.postgres.serviceUrls.executor,
    natsUrl = servers.natsUrl("executor"),
    verifiesState = true,
    toolCallMs = 600_000,
    costEstimation = { enabled: true, modelRates: new Map(), promotions: [] },
    llmTries = 3,
  }: Partial<DepsOptions> = {},
): Promise<ExecutorDeps> {
  const { signal } = new AbortController();
  const config = {
    log: { level: "silent", format: "json" },
    health: { host: "127.0.0.1", port: 0 },
    knownSecrets: [],
    databaseUrl,
    natsUrl,
    llmGatewayAddress: gateway,
    llmGatewayToken: TEST_GATEWAY_TOKEN,
    maxMessageBytes: 16 * 1024 * 1024,
    podId: `pod-${randomUUID()}`,
    readVariable: () => undefined,
    verifiesState,
    toolCallMs,
    providerLists: [],
    maskingRules: new Map(),
    costEstimation,
    holidays: [],
    llmTries,
    slots: 5,
    followupSlots: 2,
    stopGraceMs: 10_000,
    maxRunning: 5,
    maxFollowups: 2,
  } as const;
  const database = { applicationName: config.podId, settings: LOOK_UPS, log, signal };
  const db = resources.use(await openDatabase({ ...database, url: config.databaseUrl, poolSize: 8 }));
  const leaseDb = resources.use(
    await openDatabase({ ...database, url: servers.postgres.serviceUrls.executor, poolSize: 1 }),
  );
  const bus = resources.use(await openBus({ url: config.natsUrl, name: config.podId, log, signal }));
  const llm = resources.adopt(
    openLlmClient({ address: gateway, maxMessageBytes: config.maxMessageBytes, token: TEST_GATEWAY_TOKEN }),
    (client) => client.close(),
  );
  const leases = resources.use(
    keepLeases(
      { db: leaseDb, podId: config.podId, slots: config.slots, log },
      // As in production: a restart of Postgres takes no less time in tests.
      { ...LEASE_TIMES, selfFenceMs: TIME_SCALE * SELF_FENCE_MS },
    ),
  );
  const masker = resources.use(new Masker());
  const metrics = createExecutorMetrics(new Registry());
  const circuits = resources.use(keepCircuits({ db: leaseDb, log, gauge: metrics.circuitOpen }));
  const audit = resources.use(new AuditLog({ db, log, service: "executor" }));
  // Tests see a new budget soon, and count the statements of the other connections.
  const budgets = resources.use(await keepBudgets({ db: leaseDb, log }, 50));
  const now = () => NOW_MS;
  return {
    config,
    log,
    audit,
    db,
    bus,
    llm,
    leases,
    circuits,
    budgets,
    metrics,
    masker,
    now,
    features: FEATURES,
  };
}
