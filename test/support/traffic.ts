import { TcpProxy, type ProxyTap } from "./tcp-proxy.ts";

/** Types of messages from a client of Postgres. */
const EXECUTE = "E".charCodeAt(0);
const SIMPLE_QUERY = "Q".charCodeAt(0);
const SYNC = "S".charCodeAt(0);
const LENGTH_BYTES = 4;

/** What a process sends, and what it reads from Postgres. */
interface Counts {
  statements: number;
  roundTrips: number;
  /** Bytes from Postgres. */
  bytesRead: number;
  /** Messages to NATS, requests included. */
  published: number;
  /** Messages from NATS. */
  answers: number;
}

/** Counts the traffic of a process with Postgres and NATS where it leaves the process: by proxies on its connections. */
export class Traffic implements AsyncDisposable {
  readonly #proxies = new AsyncDisposableStack();
  readonly #counts: Counts = { statements: 0, roundTrips: 0, bytesRead: 0, published: 0, answers: 0 };

  /** The address of a proxy in front of Postgres. */
  async countPostgres(url: string): Promise<string> {
    return this.#through(url, this.#postgresTap);
  }

  /** The address of a proxy in front of NATS. */
  async countNats(url: string): Promise<string> {
    return this.#through(url, this.#natsTap);
  }

  /** What passes while `work` runs. */
  async of(work: () => Promise<unknown>): Promise<Counts> {
    const before = { ...this.#counts };
    await work();
    const { statements, roundTrips, bytesRead, published, answers } = this.#counts;
    return {
      statements: statements - before.statements,
      roundTrips: roundTrips - before.roundTrips,
      bytesRead: bytesRead - before.bytesRead,
      published: published - before.published,
      answers: answers - before.answers,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxies.disposeAsync();
  }

  async #through(address: string, tap: () => ProxyTap): Promise<string> {
    const url = new URL(address);
    const { hostname: host, port } = url;
    url.port = String(this.#proxies.use(await TcpProxy.start({ host, port: Number(port), tap })).port);
    return url.href;
  }

  /** Counts the messages of one connection to Postgres. */
  readonly #postgresTap = (): ProxyTap => {
    let rest = Buffer.alloc(0);
    // The first message of a connection has no type.
    let typeBytes = 0;
    return {
      fromClient: (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        while (rest.length >= typeBytes + LENGTH_BYTES) {
          const end = typeBytes + rest.readUInt32BE(typeBytes);
          if (rest.length < end) break;
          const type = typeBytes === 0 ? 0 : rest[0];
          if (type === EXECUTE || type === SIMPLE_QUERY) this.#counts.statements += 1;
          if (type === SYNC || type === SIMPLE_QUERY) this.#counts.roundTrips += 1;
          rest = rest.subarray(end);
          typeBytes = 1;
        }
        return "forward";
      },
      fromServer: (bytes) => {
        this.#counts.bytesRead += bytes.length;
        return "forward";
      },
    };
  };

  /** Counts the messages of one connection to NATS; no payload of ours contains a line break. */
  readonly #natsTap = (): ProxyTap => {
    const count = (pattern: RegExp) => {
      let line = "";
      return (bytes: Buffer): number => {
        const lines = (line + bytes.toString("latin1")).split("\r\n");
        line = lines.pop() ?? "";
        return lines.filter((one) => pattern.test(one)).length;
      };
    };
    const [publishes, messages] = [count(/^H?PUB /u), count(/^H?MSG /u)];
    return {
      fromClient: (bytes) => {
        this.#counts.published += publishes(bytes);
        return "forward";
      },
      fromServer: (bytes) => {
        this.#counts.answers += messages(bytes);
        return "forward";
      },
    };
  };
}
