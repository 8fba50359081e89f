import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { BackingServers } from "./backing-servers.ts";
import { CHECKOUT, HEALTH_VARIABLE, SERVICES, spawnService, type ServiceName } from "./spawn-service.ts";
import { TEST_GATEWAY_TOKEN } from "./gateway-token.ts";
import { migrateWith } from "./migrate-with.ts";
import type { TcpProxy } from "./tcp-proxy.ts";
import { testPort } from "./test-port.ts";
import { untilReady } from "./until-ready.ts";

export type { ServiceName };

export interface SystemOptions {
  readonly servers: BackingServers;
  readonly configDir: string;
  readonly executors?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The variables with which a service reaches NATS; by default those of `servers`. */
  readonly natsEnvironment?: (service: ServiceName) => Readonly<Record<string, string>>;
  /** Through which services reach Postgres whose URL names no other way; by default they reach it directly. */
  readonly postgresProxy?: TcpProxy | undefined;
  /** The directory with the code of `migrate` and of the services at the start; by default this checkout. */
  readonly checkout?: string;
}

export interface RunningService {
  readonly name: ServiceName;
  readonly process: ChildProcess;
  readonly healthPort: number;
  /** The directory with the code it runs. */
  readonly checkout: string;
}

/** The five services as real processes on free ports. */
export class TarsySystem implements AsyncDisposable {
  readonly #servers: BackingServers;
  readonly #postgresProxy: TcpProxy | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #natsEnvironment: (service: ServiceName) => Readonly<Record<string, string>>;
  readonly #running = new Set<RunningService>();
  readonly api: string;
  readonly ws: string;
  /** The socket that speaks the dialect of existing clients. */
  readonly dialect: string;
  /** The directory with the code of processes that are started from now on. */
  readonly checkout: string;
  /** The end of the services' output, for the message of a failing test. */
  output = "";

  private constructor(
    env: NodeJS.ProcessEnv,
    ports: { api: number; notifier: number },
    {
      servers,
      natsEnvironment = (name) => servers.natsEnvironment(name),
      checkout = CHECKOUT,
      postgresProxy,
    }: SystemOptions,
  ) {
    this.#servers = servers;
    this.#postgresProxy = postgresProxy;
    this.#env = env;
    this.#natsEnvironment = natsEnvironment;
    this.checkout = checkout;
    this.api = `http://127.0.0.1:${ports.api}`;
    this.ws = `ws://127.0.0.1:${ports.notifier}/ws`;
    this.dialect = `ws://127.0.0.1:${ports.notifier}/api/v1/ws`;
  }

  /** Starts everything and resolves once every service is ready. */
  static async start({ executors = 1, ...options }: SystemOptions): Promise<TarsySystem> {
    const system = await TarsySystem.prepare(options);
    const names = [...SERVICES, ...Array.from({ length: executors - 1 }, () => "executor" as const)];
    try {
      await Promise.all(names.map((name) => system.startService(name)));
      return system;
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Migrates the database, chooses the ports and starts nothing yet. */
  static async prepare(options: SystemOptions): Promise<TarsySystem> {
    const { servers, configDir, env = {}, checkout } = options;
    if (checkout === undefined) await servers.migrate();
    else await migrateWith(checkout, servers.postgres.url);
    const [api, notifier, gateway] = [await testPort(), await testPort(), await testPort()];
    return new TarsySystem(
      {
        CONFIG_DIR: configDir,
        LLM_GATEWAY_TOKEN: TEST_GATEWAY_TOKEN,
        API_PORT: String(api),
        NOTIFIER_PORT: String(notifier),
        // As the launcher does, so that a page reaches the notifier at the address it came from.
        NOTIFIER_ADDR: `127.0.0.1:${notifier}`,
        LLM_GATEWAY_PORT: String(gateway),
        LLM_GATEWAY_ADDR: `127.0.0.1:${gateway}`,
        LOG_LEVEL: process.env["TEST_LOG_LEVEL"] ?? "info",
        LOG_FORMAT: "json",
        ...env,
      },
      { api, notifier },
      options,
    );
  }

  /** The database as a service reaches it: as its own role. The llm-gateway has none. */
  databaseUrl(name: ServiceName): string | undefined {
    if (name === "llm-gateway") return undefined;
    const url = this.#servers.postgres.serviceUrls[name];
    return this.#postgresProxy?.leadTo(url) ?? url;
  }

  /** Starts one more process of a service, with `env` overriding the system's environment, and resolves once it is ready. */
  async startService(name: ServiceName, env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
    const service = await this.launchService(name, env);
    await this.untilReady(service);
    return service;
  }

  /** Starts one more process of a service without waiting until it is ready. */
  async launchService(
    name: ServiceName,
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningService> {
    const healthPort = await testPort();
    const { checkout } = this;
    const child = spawnService({
      name,
      env: {
        DATABASE_URL: this.databaseUrl(name),
        ...this.#env,
        ...this.#natsEnvironment(name),
        [HEALTH_VARIABLE[name]]: String(healthPort),
        ...env,
      },
      output: "pipe",
      checkout,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream
        ?.setEncoding("utf8")
        .on("data", (text: string) => (this.output = (this.output + text).slice(-200_000)));
    }
    const service = { name, process: child, healthPort, checkout };
    this.#running.add(service);
    return service;
  }

  /** Resolves once a service reports that it is ready. */
  async untilReady({ name, process: child, healthPort }: RunningService): Promise<void> {
    await untilReady(name, child, healthPort, () => this.output);
  }

  /** All processes that were started and not ended by this object. */
  running(): readonly RunningService[] {
    return [...this.#running];
  }

  /** The running processes of a service, oldest first. */
  all(name: ServiceName): readonly RunningService[] {
    return [...this.#running].filter((service) => service.name === name);
  }

  /** The newest running process of a service. */
  find(name: ServiceName): RunningService {
    const found = this.all(name).at(-1);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  }

  /** Ends the newest process of a service and resolves with its exit code once it is gone. */
  async stop(name: ServiceName, signal: NodeJS.Signals): Promise<number | null> {
    return this.end(this.find(name), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((service) => this.end(service, "SIGKILL")));
  }

  /** Ends one process and resolves with its exit code, null if a signal ended it. */
  async end(service: RunningService, signal: NodeJS.Signals): Promise<number | null> {
    this.#running.delete(service);
    if (service.process.exitCode === null && service.process.signalCode === null) {
      const gone = once(service.process, "exit");
      service.process.kill(signal);
      await gone;
    }
    return service.process.exitCode;
  }
}
