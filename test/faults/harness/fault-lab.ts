import { join } from "node:path";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { readRefusedStreams } from "#shared/bus/refused-streams.ts";
import type { WaitKind } from "#shared/contracts/iteration-state.ts";
import { BackingServers } from "../../support/backing-servers.ts";
import { testConfigDirectory } from "../../support/config-directory.ts";
import { NatsCluster } from "../../support/nats-cluster.ts";
import { natsEnvironment } from "../../support/nats-users.ts";
import { PgBouncer } from "../../support/pgbouncer.ts";
import { postgresTap, type StatementWatch } from "../../support/postgres-tap.ts";
import { TarsyClient } from "../../support/tarsy-client.ts";
import { TarsySystem, type RunningService, type ServiceName } from "../../support/tarsy-system.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { AlertSender } from "./alert-sender.ts";
import { assertOwnServers } from "./assert-own-servers.ts";
import { EventRecorder } from "./event-recorder.ts";
import { ExecutorSlot } from "./executor-slot.ts";
import { labConfig, answerFromAlert } from "./lab-config.ts";
import { ModelServer, type ModelPlan } from "./model-server.ts";
import type { ScenarioRandom } from "./scenario-random.ts";
import { CLAIMS, CREATE_RECORDER, parseClaim, parseCount, type Claim } from "./database-recorder.ts";
import { readToolLog, type LoggedToolCall } from "./tool-log.ts";

const HOST = "127.0.0.1";

type Variables = Readonly<Record<string, string>>;

export interface LabOptions {
  readonly random: ScenarioRandom;
  readonly executors?: number;
  /** Sessions that one executor runs concurrently. */
  readonly slots?: number;
  /** Sessions that run concurrently on all executors; by default the number of slots. */
  readonly maxRunning?: number;
  /** Pieces of work on ended sessions that run concurrently; by default as configured by default. */
  readonly followUps?: number;
  /** What the model answers; by default what the alert asks for (`answerFromAlert`). */
  readonly plan?: ModelPlan;
  /** Decides about the statements between an executor, or the api, and Postgres; made for each connection. */
  readonly watchExecutor?: (slot: number) => StatementWatch;
  readonly watchApi?: () => StatementWatch;
  /** How long a tool takes. */
  readonly toolDelay?: string;
  /** Gives every agent a second provider, `spare`, that takes over from the first. */
  readonly hasSpare?: boolean;
  /** The address of an MCP server, for alerts of type `listed`. */
  readonly toolServer?: string;
  /** Additional variables for the executors' processes, the same for all or by slot. */
  readonly executorEnv?: Variables | ((slot: number) => Variables);
  /** Additional variables for the api's process. */
  readonly apiEnv?: Variables;
  /** Three NATS servers in a cluster instead of one; the links to NATS then have no effect. */
  readonly natsCluster?: boolean;
  /** Every service reaches Postgres at an address that stays when another server takes its place, or leads to a pooler. */
  readonly postgresMoves?: boolean;
  /** A pooler between this address and Postgres: a PgBouncer, with these settings. */
  readonly pooler?: { readonly program: string; readonly settings: Variables };
  /** Called with the servers' data directory before they start. */
  readonly prepareDirectory?: (directory: string) => void;
}

/** The whole system in separate processes, with a model, tools and links that a scenario can break and inspect. */
export class FaultLab implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #toolLog: string;
  readonly servers: BackingServers;
  readonly system: TarsySystem;
  readonly client: TarsyClient;
  readonly alerts: AlertSender;
  readonly model: ModelServer;
  readonly executors: readonly ExecutorSlot[];
  readonly api: { readonly postgres: TcpProxy; readonly nats: TcpProxy };
  /** The three NATS servers, if asked for. */
  readonly cluster: NatsCluster | undefined;
  readonly #apiEnv: Readonly<Record<string, string>>;
  readonly recorders: EventRecorder[] = [];

  private constructor(
    parts: Pick<FaultLab, "servers" | "system" | "model" | "executors" | "api" | "cluster"> & {
      random: ScenarioRandom;
      resources: AsyncDisposableStack;
      toolLog: string;
      apiEnv: Readonly<Record<string, string>>;
    },
  ) {
    this.#resources = parts.resources;
    this.#toolLog = parts.toolLog;
    this.#apiEnv = parts.apiEnv;
    this.servers = parts.servers;
    this.system = parts.system;
    this.client = new TarsyClient(parts.system);
    this.model = parts.model;
    this.alerts = new AlertSender(parts.system.api, parts.random);
    this.executors = parts.executors;
    this.api = parts.api;
    this.cluster = parts.cluster;
  }

  /** Starts servers, model, links and services, and installs the recorder in Postgres. */
  static async start(options: LabOptions): Promise<FaultLab> {
    const {
      executors = 1,
      slots = 5,
      maxRunning = executors * slots,
      toolDelay = "100ms",
      hasSpare = false,
    } = options;
    await using resources = new AsyncDisposableStack();
    const model = resources.use(await ModelServer.open(options.plan ?? answerFromAlert));
    const servers = resources.use(
      await BackingServers.start(
        options.prepareDirectory === undefined ? {} : { prepare: options.prepareDirectory },
      ),
    );
    const config = resources.use(
      await testConfigDirectory(
        labConfig({
          model: model.url,
          slots,
          maxRunning,
          toolDelay,
          hasSpare,
          followUps: options.followUps,
          toolServer: options.toolServer,
        }),
      ),
    );
    const cluster = options.natsCluster === true ? resources.use(await NatsCluster.start()) : undefined;
    const pooler =
      options.pooler &&
      resources.use(
        await PgBouncer.start(
          options.pooler.program,
          Object.values(servers.postgres.serviceUrls),
          options.pooler.settings,
        ),
      );
    const toPostgres = { host: HOST, port: () => pooler?.port ?? servers.postgres.port };
    const postgresProxy =
      options.postgresMoves === true ? resources.use(await TcpProxy.start(toPostgres)) : undefined;
    const system = resources.use(
      await TarsySystem.prepare({
        servers,
        postgresProxy,
        configDir: config.path,
        env: { FAULT_MODEL_KEY: "none", EXECUTOR_VERIFY_STATE: "true" },
        ...(cluster === undefined ? {} : { natsEnvironment: (name) => cluster.natsEnvironment(name) }),
      }),
    );
    const link = async (service: "api" | "executor", watch?: () => StatementWatch) => {
      const postgres = resources.use(
        await TcpProxy.start({
          ...toPostgres,
          ...(watch === undefined ? {} : { tap: () => postgresTap(watch()) }),
        }),
      );
      const nats = resources.use(await TcpProxy.start({ host: HOST, port: () => servers.nats.port }));
      const env =
        cluster === undefined
          ? natsEnvironment(service, (role) => servers.natsUrl(role, nats.port))
          : cluster.natsEnvironment(service);
      return { postgres, nats, env };
    };
    const { env: apiEnv, ...api } = await link("api", options.watchApi);
    const slotList: ExecutorSlot[] = [];
    for (let index = 1; index <= executors; index += 1) {
      const { watchExecutor: watch, executorEnv } = options;
      const { env, ...links } = await link("executor", watch === undefined ? undefined : () => watch(index));
      const variables = typeof executorEnv === "function" ? executorEnv(index) : executorEnv;
      slotList.push(new ExecutorSlot({ index, system, ...links, env: { ...env, ...variables } }));
    }
    const lab = new FaultLab({
      servers,
      system,
      model,
      random: options.random,
      executors: slotList,
      api,
      apiEnv: { ...apiEnv, ...options.apiEnv },
      cluster,
      toolLog: join(config.path, "calls.jsonl"),
      resources: new AsyncDisposableStack(),
    });
    await lab.#startServices();
    lab.#resources.use(resources.move());
    return lab;
  }

  async #startServices(): Promise<void> {
    await assertOwnServers(this.servers);
    // Before any service runs, whose statements lock the same tables in other orders.
    await this.servers.query(CREATE_RECORDER, []);
    await this.startService("api");
    await Promise.all([
      ...(["tool-runner", "llm-gateway", "notifier"] as const).map((name) => this.startService(name)),
      ...this.executors.map((slot) => slot.start()),
    ]);
  }

  /** Starts a process of a service other than the executor and resolves once it is ready. */
  async startService(name: Exclude<ServiceName, "executor">): Promise<RunningService> {
    const service = await this.launchService(name);
    await this.system.untilReady(service);
    return service;
  }

  /** Starts a process of a service other than the executor without waiting until it is ready. */
  async launchService(
    name: Exclude<ServiceName, "executor">,
    variables: Variables = {},
  ): Promise<RunningService> {
    const env = { PGOPTIONS: `-c tarsy.pod=${name}`, ...variables };
    if (name !== "api") return this.system.launchService(name, env);
    const DATABASE_URL = this.api.postgres.leadTo(this.system.databaseUrl(name));
    return this.system.launchService(name, { ...this.#apiEnv, DATABASE_URL, ...env });
  }

  /**
   * Opens a client that follows these sessions through the notifier that `url` names for each of its connections.
   * `checkLab` compares what it received with Postgres. `beyondEnd`: also of work after the end of the sessions.
   */
  follow(
    sessionIds: Iterable<string>,
    url = () => this.system.ws,
    options: { readonly beyondEnd?: boolean } = {},
  ): EventRecorder {
    const recorder = this.#resources.use(new EventRecorder(url, options));
    for (const sessionId of sessionIds) recorder.follow(sessionId);
    this.recorders.push(recorder);
    return recorder;
  }

  /** The number of sessions that have not ended, or have open work after their end. */
  async unfinished(): Promise<number> {
    const [row] = await this.servers.query(
      `SELECT count(*)::int AS count FROM alert_sessions
       WHERE completed_at IS NULL OR session_id IN (SELECT session_id FROM follow_ups f WHERE f.completed_at IS NULL)`,
      [],
    );
    return parseCount(row).count;
  }

  /** Waits until every session has ended. */
  async untilAllTerminal(timeoutMs = 180_000): Promise<void> {
    await until("every session has ended", async () => (await this.unfinished()) === 0, timeoutMs);
  }

  /** The number of sessions. */
  async sessionCount(): Promise<number> {
    const [row] = await this.servers.query("SELECT count(*)::int AS count FROM alert_sessions", []);
    return parseCount(row).count;
  }

  /** The number of sessions with this status. */
  async countByStatus(status: string): Promise<number> {
    const [row] = await this.servers.query(
      "SELECT count(*)::int AS count FROM alert_sessions WHERE status = $1",
      [status],
    );
    return parseCount(row).count;
  }

  /** The number of agents whose step could not be done for lack of this, also while they try it again. */
  async countWaiting(kind: WaitKind): Promise<number> {
    const [row] = await this.servers.query(
      `SELECT count(*)::int AS count FROM agent_executions
       WHERE status = 'active' AND iteration_state->'unfinished_step'->'waiting'->>'kind' = $1`,
      [kind],
    );
    return parseCount(row).count;
  }

  /** Every claim of a session lease so far, oldest first. */
  async claims(): Promise<Claim[]> {
    return (await this.servers.query(CLAIMS, [])).map((row) => parseClaim(row));
  }

  /** The streams that take no message, as NATS says. */
  async refusedStreams(): Promise<readonly string[]> {
    const { signal } = new AbortController();
    const log = pino({ level: "silent" });
    await using bus = await openBus({ url: this.servers.natsUrl("test"), name: "lab", log, signal });
    return (await readRefusedStreams(bus)).refused.map(({ stream }) => stream);
  }

  /** The directories that contain the logs of the NATS servers. */
  get natsDirectories(): readonly string[] {
    return [join(this.servers.directory, "nats"), ...(this.cluster?.directories ?? [])];
  }

  async toolCalls(): Promise<LoggedToolCall[]> {
    return readToolLog(this.#toolLog);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
