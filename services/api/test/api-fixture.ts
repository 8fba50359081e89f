import type { Server } from "node:http";
import { join } from "node:path";
import type { ReadableStream } from "node:stream/web";
import { pino } from "pino";
import { Registry } from "prom-client";
import { addApiKey } from "#shared/access/api-keys.ts";
import { AuditLog } from "#shared/access/audit-log.ts";
import { Door } from "#shared/access/door.ts";
import type { Role } from "#shared/access/identity.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import { Masker } from "#shared/masking/masker.ts";
import { listen } from "#shared/service/listen.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory, type ConfigFiles } from "../../../test/support/config-directory.ts";
import { TarsyClient } from "../../../test/support/tarsy-client.ts";
import { until } from "../../../test/support/until.ts";
import { createApiMetrics } from "../api-metrics.ts";
import type { ApiDeps } from "../api-deps.ts";
import { apiRoutes, buildApp } from "../app.ts";
import { loadApiConfig } from "../config.ts";
import { createHttpServer, type RequestTimeouts } from "../http/http-server.ts";
import { SocketForwarder } from "../page/forward-sockets.ts";
import { Outbound } from "../notifications/http/outbound.ts";
import { CriticalPlaces } from "../parking/critical-places.ts";
import type { ReadReplica } from "../read-replica.ts";
import { SseConnections } from "../sse/sse-connections.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { openDispatcher } from "../dispatcher.ts";
import { cleanUp } from "../sweeper/clean-up.ts";
import { sweepSessions } from "../sweeper/sweep-sessions.ts";
import { ContractCheck } from "./contract-check.ts";
import type { Database } from "#shared/database/database.ts";

const HOST = "127.0.0.1";
const log = pino({ level: "silent" });

/** Settings with which clients need a key (`ApiFixture.keyOf`). */
export const KEY_ACCESS = { AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" };

/** Settings with which the fixture's client is an admin. */
export const ADMIN_ACCESS = { AUTH_MODE: "private", AUTH_TOKEN: "the-token-of-the-tests-0123456789abcdef" };

/**
 * The api's HTTP server in this process, with a real Postgres and a real NATS. The sweeper runs only on request. When it is
 * disposed it fails if a response was not as the OpenAPI document says.
 */
export class ApiFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #stopping: AbortController;
  readonly servers: BackingServers;
  readonly deps: ApiDeps;
  /** The database as the owner of its tables, for what the tests arrange; the api has a role of its own. */
  readonly db: Database;
  readonly port: number;
  readonly client: TarsyClient;
  readonly contract: ContractCheck;
  /** What a client needs to be let in, unless the test chose another mode than `loopback` and `private`. */
  readonly headers: Readonly<Record<string, string>>;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    stopping: AbortController;
    servers: BackingServers;
    deps: ApiDeps;
    db: Database;
    port: number;
    contract: ContractCheck;
  }) {
    this.contract = parts.contract;
    this.#resources = parts.resources;
    this.#stopping = parts.stopping;
    this.servers = parts.servers;
    this.deps = parts.deps;
    this.db = parts.db;
    this.port = parts.port;
    const { auth } = parts.deps.config.access;
    this.headers = auth.mode === "private" ? { authorization: `Bearer ${auth.token}` } : {};
    this.client = new TarsyClient({ api: `http://${HOST}:${parts.port}`, ws: "", headers: this.headers });
  }

  static async start(
    options: {
      /** Those of another fixture. */
      servers?: BackingServers;
      ownServers?: boolean;
      timeouts?: Partial<RequestTimeouts>;
      config?: ConfigFiles;
      env?: Record<string, string>;
      /** Where a built page is; by default there is none. */
      pageDirectory?: string;
      sockets?: { maxSockets?: number; handshakeMs?: number };
      /** By default one as in the service. */
      masker?: Masker;
      /** Opens the standby from which lists are read; by default there is none. */
      replica?: (primary: Orm, signal: AbortSignal) => ReadReplica;
      snsOrigin?: ApiDeps["snsOrigin"];
      sse?: { pollEveryMs?: number; heartbeatMs?: number; stalledMs?: number };
    } = {},
  ): Promise<ApiFixture> {
    const resources = new AsyncDisposableStack();
    const stopping = new AbortController();
    const { signal } = stopping;
    const servers = options.servers ?? resources.use(await BackingServers.choose(options));
    await servers.migrate();
    const { path } = resources.use(await testConfigDirectory(options.config));
    const loaded = await loadApiConfig({
      DATABASE_URL: servers.postgres.serviceUrls.api,
      ...servers.natsEnvironment("api"),
      CONFIG_DIR: path,
      ...options.env,
    });
    const config = { ...loaded, pageDirectory: options.pageDirectory ?? join(path, "no-page") };
    const db = resources.use(
      await openDatabase({ url: config.databaseUrl, applicationName: "api-test", poolSize: 5, log, signal }),
    );
    const { url } = servers.postgres;
    const asOwner = resources.use(
      await openDatabase({ url, applicationName: "api-test-owner", poolSize: 2, log, signal }),
    );
    const orm = resources.use(
      new Orm({ url: db.url, applicationName: "api-test-reads", poolSize: 2, log, signal }),
    );
    const metrics = createApiMetrics(new Registry());
    const replica = options.replica === undefined ? undefined : resources.use(options.replica(orm, signal));
    const dispatcher = resources.use(openDispatcher({ config, log, metrics, signal }));
    const sse = resources.use(
      new SseConnections({
        maxConnections: config.maxSseConnections,
        db,
        dispatcher,
        log,
        metrics,
        signal,
        ...options.sse,
      }),
    );
    const audit = resources.use(new AuditLog({ db, log, service: "api" }));
    const masker = options.masker ?? resources.use(new Masker({ known: config.knownSecrets }));
    const door = await Door.open(config.access, db);
    const { max_concurrent_sessions } = config.agents.queue;
    const places = resources.use(
      new CriticalPlaces({ db, dispatcher, log, metrics, places: max_concurrent_sessions }),
    );
    const own = { config, log, db, orm, replica, dispatcher, places, metrics, sse, door, audit, masker };
    const deps = { ...own, outbound: resources.use(new Outbound()), snsOrigin: options.snsOrigin };
    const contract = new ContractCheck(openApiDocument(apiRoutes(deps)));
    const sockets = new SocketForwarder({ notifier: config.notifierAddress, log, ...options.sockets });
    const server = await serve(deps, contract, options.timeouts, sockets);
    resources.defer(() => closeNow(server));
    resources.use(sockets);
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    return new ApiFixture({ resources, stopping, servers, deps, db: asOwner, port, contract });
  }

  /** Resolves once the api is connected to NATS, which it does in the background. */
  async untilConnected(): Promise<void> {
    await until("the api is connected to NATS", async () =>
      this.deps.dispatcher.check().then(
        () => true,
        () => false,
      ),
    );
  }

  /** The headers of a new API key of this subject, in mode `token`. */
  async keyOf(subject: string, roles: Role[], teams: string[] = []): Promise<{ authorization: string }> {
    const { text } = await addApiKey(this.db, { subject, roles, teams, expiresInDays: undefined });
    return { authorization: `Bearer ${text}` };
  }

  /** A session that has completed. */
  async ended(): Promise<string> {
    const id = await this.client.submit("x");
    await this.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [id],
    );
    return id;
  }

  /** Runs the clean-up until the fixture is disposed. */
  cleanUp(): void {
    const cleaning = cleanUp(this.deps, this.#stopping.signal);
    this.#resources.defer(() => cleaning);
  }

  /** Runs the sweeper until the fixture is disposed. */
  sweep(everyMs: number): void {
    const deps = { ...this.deps, agents: this.deps.config.agents };
    const sweeping = sweepSessions(deps, this.#stopping.signal, { everyMs });
    this.#resources.defer(() => sweeping);
  }

  /** Aborts the service's signal, which is the first step of a stop. */
  stop(): void {
    this.#stopping.abort(new Error("the service stops"));
  }

  /** Sends exactly these bytes and headers; returns the response body as text. */
  async raw(
    method: string,
    path: string,
    {
      body,
      headers = {},
    }: { body?: Uint8Array<ArrayBuffer> | ReadableStream; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; text: string; headers: Headers }> {
    const response = await fetch(`http://${HOST}:${this.port}${path}`, {
      method,
      headers: { ...this.headers, ...headers },
      ...(body === undefined ? {} : { body, duplex: "half" }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Submits these bytes as JSON. */
  async post(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; body: unknown }> {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const headers = { "content-type": "application/json" };
    const { status, text } = await this.raw("POST", "/api/v1/alerts", { body: bytes, headers });
    const decoded: unknown = JSON.parse(text);
    return { status, body: decoded };
  }

  /** Submits these bytes as JSON, which must be accepted; resolves with the session's id. */
  async accepted(body: string | Uint8Array<ArrayBuffer>): Promise<string> {
    const answer = await this.post(body);
    if (answer.status !== 202) throw new Error(`refused: ${JSON.stringify(answer)}`);
    return /"session_id":"([^"]+)"/u.exec(JSON.stringify(answer.body))?.[1] ?? "";
  }

  /** These columns of a session. */
  async sessionRow(columns: string, id: string): Promise<unknown> {
    const [row] = await this.servers.query(`SELECT ${columns} FROM alert_sessions WHERE session_id = $1`, [
      id,
    ]);
    return row;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error("the test is over"));
    await this.#resources.disposeAsync();
    const { problems } = this.contract;
    if (problems.length === 0) return;
    throw new Error(
      `${problems.length} responses differ from the OpenAPI document:\n\n${problems.slice(0, 5).join("\n\n")}`,
    );
  }
}

async function serve(
  deps: ApiDeps,
  contract: ContractCheck,
  timeouts: Partial<RequestTimeouts> | undefined,
  sockets: SocketForwarder,
): Promise<Server> {
  const handle = buildApp(deps).callback();
  const server = createHttpServer(
    (request, response) => {
      contract.watch(request, response);
      void handle(request, response);
    },
    timeouts,
    sockets,
  );
  await listen(server, { host: HOST, port: 0 });
  return server;
}

async function closeNow(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
