import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startNats, type EmbeddedNats } from "../../launcher/nats/start-nats.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { killOnExit } from "./kill-on-exit.ts";
import { NatsUsers, natsEnvironment, type NatsRole } from "./nats-users.ts";
import { serverDirectory } from "./server-directory.ts";
import type { ServiceName } from "./spawn-service.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { testPort } from "./test-port.ts";
import { until } from "./until.ts";

const HOST = "127.0.0.1";
const { tools } = projectPaths(join(import.meta.dirname, "../.."));

interface Node {
  server: EmbeddedNats;
  readonly directory: string;
  readonly monitorPort: number;
  /** Starts it on this port and its data. */
  readonly start: (port: number) => Promise<EmbeddedNats>;
}

/** The address under which one node reaches another. */
interface Route {
  readonly from: number;
  readonly to: number;
  readonly proxy: TcpProxy;
}

/** Three NATS servers on free ports. Each two of them talk over a link that a test can break. */
export class NatsCluster implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly #nodes: readonly Node[];
  readonly #routes: readonly Route[];
  readonly #users: NatsUsers;

  private constructor(parts: {
    resources: AsyncDisposableStack;
    nodes: readonly Node[];
    routes: readonly Route[];
    users: NatsUsers;
  }) {
    this.#resources = parts.resources;
    this.#nodes = parts.nodes;
    this.#routes = parts.routes;
    this.#users = parts.users;
  }

  static async start(): Promise<NatsCluster> {
    await using resources = new AsyncDisposableStack();
    const directory = resources.adopt(await serverDirectory(), async (path) =>
      rm(path, { recursive: true, force: true }),
    );
    const binary = await findNatsServer({ toolsDir: tools, env: process.env, progress: () => undefined });
    const ports = [await testPort(), await testPort(), await testPort()];
    const routes: Route[] = [];
    const users = new NatsUsers();
    for (const [to, port] of ports.entries()) {
      for (const from of ports.keys()) {
        if (from === to) continue;
        const proxy = resources.use(await TcpProxy.start({ host: HOST, port }));
        routes.push({ from, to, proxy });
      }
    }
    const nodes = await Promise.all(
      ports.map(async (port, index): Promise<Node> => {
        const dataDir = join(directory, `node-${index}`);
        const opens = routes.filter(({ from }) => from === index);
        const urls = opens.map(({ proxy }) => `"nats://${HOST}:${proxy.port}"`).join(", ");
        const settings = [
          // Servers tell each other where they listen: a port without a server keeps them from a link of their own.
          `cluster { name: "tarsy", listen: "${HOST}:${port}", advertise: "${HOST}:1", routes: [${urls}] }`,
        ];
        const monitorPort = await testPort();
        const options = { binary, dataDir, name: randomUUID(), monitorPort, settings, users: users.list };
        const start = async (own: number) => {
          const server = await startNats({ ...options, port: own });
          const registration = killOnExit(server.pid);
          void server.exited.then(() => registration[Symbol.dispose]());
          return server;
        };
        const node = { server: await start(0), directory: dataDir, monitorPort, start };
        resources.defer(async () => node.server.stop());
        return node;
      }),
    );
    return new NatsCluster({ resources: resources.move(), nodes, routes, users });
  }

  /** For the client: the URLs of all nodes, for one user. */
  url(role: NatsRole): string {
    return this.#users.url(this.#nodes.map(({ server }) => server.url).join(","), role);
  }

  /** The variables with which a service reaches the cluster. */
  natsEnvironment(service: ServiceName): Readonly<Record<string, string>> {
    const replicas = service === "api" ? { NATS_REPLICAS: `${this.size}` } : {};
    return { ...natsEnvironment(service, (role) => this.url(role)), ...replicas };
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The directories that contain the servers' logs. */
  get directories(): readonly string[] {
    return this.#nodes.map(({ directory }) => directory);
  }

  /** Separates a node from the others, or joins it again; its clients stay connected to it. */
  isolate(node: number, isIsolated: boolean): void {
    for (const { from, to, proxy } of this.#routes) {
      if (from === node || to === node) proxy.blackhole(isIsolated);
    }
  }

  /** Stops a node in order, or kills it. */
  async stop(node: number, isKilled: boolean): Promise<void> {
    const { server } = this.#node(node);
    if (isKilled) process.kill(server.pid, "SIGKILL");
    else await server.stop();
    await server.exited;
  }

  /** Starts a stopped node again; resolves once it has caught up with the others. */
  async start(node: number): Promise<void> {
    const stopped = this.#node(node);
    stopped.server = await stopped.start(stopped.server.port);
    await until("the node has caught up", async () => {
      return (await fetch(`http://${HOST}:${stopped.monitorPort}/healthz`)).ok;
    });
  }

  #node(index: number): Node {
    const node = this.#nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
