import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";

const { signal } = new AbortController();

/** A real NATS and a connection to it. */
export class BusFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly servers: BackingServers;
  readonly bus: Bus;
  /** The messages of everything logged at level warn or above. */
  readonly logged: string[];

  private constructor(parts: {
    resources: AsyncDisposableStack;
    servers: BackingServers;
    bus: Bus;
    logged: string[];
  }) {
    this.#resources = parts.resources;
    this.servers = parts.servers;
    this.bus = parts.bus;
    this.logged = parts.logged;
  }

  static async start({ ownServers = false } = {}): Promise<BusFixture> {
    const resources = new AsyncDisposableStack();
    const servers = resources.use(await BackingServers.choose({ ownServers }));
    const logged: string[] = [];
    const log = pino(
      { level: "warn", messageKey: "message" },
      { write: (line: string) => logged.push(line) },
    );
    const bus = resources.use(await openBus({ url: servers.nats.url, name: "bus-test", log, signal }));
    return new BusFixture({ resources, servers, bus, logged });
  }

  /** One more connection to the same server. */
  async connect(): Promise<Bus> {
    const log = pino({ level: "silent" });
    return this.#resources.use(await openBus({ url: this.servers.nats.url, name: "another", log, signal }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
