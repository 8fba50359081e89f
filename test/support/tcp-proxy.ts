import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "#shared/listen.ts";

/** Changes what a connection's server sends; made once per connection, called with each piece in order. */
export type Rewrite = () => (bytes: Buffer) => Buffer;

interface ProxyOptions {
  readonly host: string;
  /** Where connections are passed on to; a function chooses anew for each, as a balancer does. */
  readonly port: number | (() => number);
  readonly rewrite?: Rewrite;
}

const MAX_PIECE_BYTES = 64 * 1024;

/** A bad network: passes TCP connections on, and delays, throttles, swallows or cuts what goes through, in both directions. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #target: ProxyOptions;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #delayMs = 0;
  #bytesPerSecond = Infinity;
  #bytesLeft = Infinity;
  #open = Promise.resolve();
  #reopen: (() => void) | undefined;

  private constructor(server: Server, target: ProxyOptions) {
    this.#server = server;
    this.#target = target;
    const address = server.address();
    this.port = address !== null && typeof address === "object" ? address.port : 0;
  }

  /** Listens on a free port of the same host. */
  static async start(target: ProxyOptions): Promise<TcpProxy> {
    const server = createServer();
    await listen(server, { host: target.host, port: 0 });
    const proxy = new TcpProxy(server, target);
    server.on("connection", (client: Socket) => proxy.#join(client));
    return proxy;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets all connections; new ones are passed on. */
  cut(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  /** Holds each piece up, one after another. */
  setDelay(ms: number): void {
    this.#delayMs = ms;
  }

  /** While on, nothing gets through and nobody is told; connections stay open, and what was sent arrives afterwards. */
  blackhole(on: boolean): void {
    if (on && this.#reopen === undefined) {
      this.#open = new Promise((resolve) => (this.#reopen = resolve));
    }
    if (on) return;
    this.#reopen?.();
    this.#reopen = undefined;
  }

  /** Lets this many more bytes through, over all connections and directions, then resets all connections, once. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = Math.max(1, Math.ceil(bytes));
  }

  /** Per connection and direction; Infinity for as fast as it goes. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    this.blackhole(false);
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const { host, port } = this.#target;
    const server = connect(typeof port === "number" ? port : port(), host);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => reset(pair));
      socket.on("close", () => {
        this.#pairs.delete(pair);
        reset(pair);
      });
    }
    const rewrite = this.#target.rewrite?.();
    // A connection that breaks ends both of its pumps, which is what it is for.
    this.#pump(client, server, (bytes) => bytes).catch(() => reset(pair));
    this.#pump(server, client, rewrite ?? ((bytes) => bytes)).catch(() => reset(pair));
  }

  async #pump(from: Socket, to: Socket, change: (bytes: Buffer) => Buffer): Promise<void> {
    for await (const received of from) {
      if (!Buffer.isBuffer(received)) continue;
      const bytes = change(received);
      for (let start = 0; start < bytes.length;) {
        const size = Math.min(MAX_PIECE_BYTES, Math.max(1, this.#bytesPerSecond / 50), bytes.length - start);
        const piece = bytes.subarray(start, start + Math.ceil(size));
        start += piece.length;
        await this.#pass(piece, to);
      }
    }
    to.end();
  }

  async #pass(piece: Buffer, to: Socket): Promise<void> {
    const ms = this.#delayMs + (piece.length / this.#bytesPerSecond) * 1_000;
    if (ms > 0) await wait(ms);
    await this.#open;
    if (to.destroyed) return;
    const allowed = piece.subarray(0, Math.min(this.#bytesLeft, piece.length));
    this.#bytesLeft -= allowed.length;
    const flowing = to.write(allowed);
    if (this.#bytesLeft <= 0) {
      this.#bytesLeft = Infinity;
      this.cut();
    } else if (!flowing) await Promise.race([once(to, "drain"), once(to, "close")]);
  }
}

function reset(pair: readonly Socket[]): void {
  for (const socket of pair) if (!socket.destroyed) socket.resetAndDestroy();
}
