import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "#shared/listen.ts";

const HOST = "127.0.0.1";

/**
 * What becomes of some bytes: passed on, at once or once something has come about; kept for ever with everything behind
 * them; or lost with the connection.
 */
export type Verdict = "forward" | { readonly after: Promise<void> } | "hold" | "cut";

/** Reads along on one connection; asked before the bytes go on. */
export interface ProxyTap {
  fromClient(bytes: Buffer): Verdict;
  fromServer(bytes: Buffer): Verdict;
}

type Link = "up" | "blackhole" | "refused";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  held: boolean;
}

export interface ProxyOptions {
  /** Where to, asked at each connection: a restarted server may have moved. */
  readonly targetPort: () => number;
  /** Makes a reader for each new connection. */
  readonly tap?: () => ProxyTap;
}

/** A TCP link that can be slow, silent, broken or read along with. Made for one service and one of its servers. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #options: ProxyOptions;
  readonly #pairs = new Set<Pair>();
  #link: Link = "up";
  /** Added to every chunk, in milliseconds, each way. */
  delayMs = 0;

  private constructor(listener: Server, options: ProxyOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  static async open(options: ProxyOptions): Promise<TcpProxy> {
    const listener = createServer({ pauseOnConnect: true });
    const proxy = new TcpProxy(listener, options);
    listener.on("connection", (client) => proxy.#accept(client));
    await listen(listener, { host: HOST, port: 0 });
    return proxy;
  }

  get port(): number {
    const address = this.#listener.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  /** Everything passes again; what was swallowed by a blackhole arrives now, as TCP would have it. */
  restore(): void {
    this.#link = "up";
    for (const pair of this.#pairs) {
      if (pair.held) continue;
      pair.client.resume();
      pair.server.resume();
    }
  }

  /** A partition: no byte passes, and nobody is told. New connections are accepted and stay silent. */
  blackhole(): void {
    this.#link = "blackhole";
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Breaks every connection with a reset and refuses new ones in the same way. */
  refuse(): void {
    this.#link = "refused";
    this.cut();
  }

  /** Breaks every connection with a reset; new ones pass. */
  cut(): void {
    for (const pair of this.#pairs) sever(pair);
  }

  #accept(client: Socket): void {
    if (this.#link === "refused") {
      client.on("error", () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = connect({ host: HOST, port: this.#options.targetPort() });
    const pair: Pair = { client, server, held: false };
    const tap = this.#options.tap?.();
    this.#pairs.add(pair);
    client.setNoDelay(true);
    server.setNoDelay(true);
    this.#join(pair, client, server, (bytes) => tap?.fromClient(bytes) ?? "forward");
    this.#join(pair, server, client, (bytes) => tap?.fromServer(bytes) ?? "forward");
    if (this.#link === "up") client.resume();
    else server.pause();
  }

  #join(pair: Pair, from: Socket, to: Socket, judge: (bytes: Buffer) => Verdict): void {
    from.on("data", (bytes: Buffer) => {
      if (pair.held) return;
      const verdict = judge(bytes);
      if (verdict === "cut") return sever(pair);
      if (verdict === "hold") {
        pair.held = true;
        return;
      }
      if (typeof verdict === "object") {
        void this.#forwardLater(bytes, from, to, verdict.after);
        return;
      }
      if (this.delayMs > 0) setTimeout(() => to.write(bytes), this.delayMs);
      else if (!to.write(bytes)) {
        from.pause();
        to.once("drain", () => this.#link === "up" && from.resume());
      }
    });
    from.on("error", () => sever(pair));
    from.on("close", () => {
      this.#pairs.delete(pair);
      // In a partition the other side does not hear of it.
      if (this.#link === "up" && !pair.held) to.end();
      else if (from === pair.client) to.destroy();
    });
  }

  async #forwardLater(bytes: Buffer, from: Socket, to: Socket, after: Promise<void>): Promise<void> {
    from.pause();
    await after;
    to.write(bytes);
    from.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) sever(pair);
    this.#listener.close();
    if (this.#listener.listening) await once(this.#listener, "close");
  }
}

function sever({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
