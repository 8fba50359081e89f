import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "#shared/service/listen.ts";

/**
 * What happens to a chunk of bytes. `forward` passes it on, `after` once the promise has resolved. `hold` drops it and
 * everything after it in both directions, while the connection stays open. `cut` resets the connection.
 */
export type TapDecision = "forward" | "hold" | "cut" | { readonly after: Promise<void> };

/** Sees every piece of one connection before it is passed on, and decides about it. */
export interface ProxyTap {
  fromClient(bytes: Buffer): TapDecision;
  fromServer(bytes: Buffer): TapDecision;
}

/** Changes what a connection's server sends; made once per connection, called with each piece in order. */
export type Rewrite = () => (bytes: Buffer) => Buffer;

interface ProxyOptions {
  readonly host: string;
  /** The server's port. A function is called for each connection: a server may move, or there may be several. */
  readonly port: number | (() => number);
  readonly rewrite?: Rewrite;
  /** Makes the tap of a new connection. */
  readonly tap?: () => ProxyTap;
}

/** A client's connection and the one that the proxy opened to the server for it. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isHeld: boolean;
}

/** One direction of a pair. */
interface Flow {
  readonly pair: Pair;
  readonly from: Socket;
  readonly to: Socket;
  readonly decide: (bytes: Buffer) => TapDecision;
  readonly change: (bytes: Buffer) => Buffer;
}

const MAX_PIECE_BYTES = 64 * 1024;

/** Simulates a bad network: forwards TCP connections and can delay, throttle, stop, drop or cut the traffic. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Server;
  readonly #options: ProxyOptions;
  readonly #pairs = new Set<Pair>();
  #delayMs = 0;
  #bytesPerSecond = Infinity;
  #bytesLeft = Infinity;
  /** Set during a blackhole; resolved at its end. */
  #blackhole: PromiseWithResolvers<void> | undefined;

  private constructor(listener: Server, options: ProxyOptions) {
    this.#listener = listener;
    this.#options = options;
    const address = listener.address();
    this.port = address !== null && typeof address === "object" ? address.port : 0;
  }

  /** Listens on a free port of the server's host. */
  static async start(options: ProxyOptions): Promise<TcpProxy> {
    const listener = createServer();
    await listen(listener, { host: options.host, port: 0 });
    const proxy = new TcpProxy(listener, options);
    listener.on("connection", (client: Socket) => proxy.#accept(client));
    return proxy;
  }

  /** The URL of the server, with the port of this proxy. */
  leadTo(url: string | undefined): string {
    const changed = new URL(url ?? "");
    changed.port = String(this.port);
    return changed.href;
  }

  /** Resets all connections; new ones are passed on. */
  cut(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  /** Delays each piece by this many milliseconds, one after another, in each direction. */
  setDelay(ms: number): void {
    this.#delayMs = ms;
  }

  /**
   * A partition: while on, no data and no end of a connection is passed on, and new connections are accepted and stay
   * silent. Afterwards everything that was sent arrives.
   */
  blackhole(on: boolean): void {
    if (on) {
      this.#blackhole ??= Promise.withResolvers();
      return;
    }
    this.#blackhole?.resolve();
    this.#blackhole = undefined;
    for (const pair of this.#pairs) if (pair.client.destroyed || pair.server.destroyed) reset(pair);
  }

  /** Lets this many more bytes through, over all connections and directions, then resets all connections, once. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = Math.max(1, Math.ceil(bytes));
  }

  /** Limits each direction of each connection; Infinity removes the limit. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cut();
    this.blackhole(false);
    await once(this.#listener, "close");
  }

  #accept(client: Socket): void {
    const { host, port, rewrite, tap: openTap } = this.#options;
    const server = connect(typeof port === "number" ? port : port(), host);
    const pair: Pair = { client, server, isHeld: false };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.#fail(pair));
      socket.on("close", () => {
        if (client.destroyed && server.destroyed) this.#pairs.delete(pair);
      });
    }
    const tap = openTap?.();
    const flows: Flow[] = [
      {
        pair,
        from: client,
        to: server,
        decide: (bytes) => tap?.fromClient(bytes) ?? "forward",
        change: (bytes) => bytes,
      },
      {
        pair,
        from: server,
        to: client,
        decide: (bytes) => tap?.fromServer(bytes) ?? "forward",
        change: rewrite?.() ?? ((bytes) => bytes),
      },
    ];
    // A broken connection ends both of its flows.
    for (const flow of flows) this.#pump(flow).catch(() => this.#fail(pair));
  }

  /** Resets the other side of a broken connection now, or at the end of the blackhole. */
  #fail(pair: Pair): void {
    if (this.#blackhole === undefined) reset(pair);
  }

  async #pump({ pair, from, to, decide, change }: Flow): Promise<void> {
    for await (const bytes of from.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(bytes)) continue;
      await this.#blackhole?.promise;
      if (pair.isHeld) continue;
      const decision = decide(bytes);
      if (decision === "cut") return reset(pair);
      pair.isHeld = decision === "hold";
      if (decision === "hold") continue;
      if (typeof decision === "object") await decision.after;
      await this.#forward(change(bytes), to);
    }
    await this.#blackhole?.promise;
    // A held connection passes on only the client's end.
    if (!pair.isHeld || from === pair.client) to.end();
  }

  async #forward(bytes: Buffer, to: Socket): Promise<void> {
    for (let start = 0; start < bytes.length;) {
      const size = Math.min(MAX_PIECE_BYTES, Math.max(1, this.#bytesPerSecond / 50), bytes.length - start);
      const piece = bytes.subarray(start, start + Math.ceil(size));
      start += piece.length;
      const ms = this.#delayMs + (piece.length / this.#bytesPerSecond) * 1_000;
      if (ms > 0) await wait(ms);
      await this.#blackhole?.promise;
      await this.#write(piece, to);
    }
  }

  async #write(piece: Buffer, to: Socket): Promise<void> {
    if (to.destroyed) throw new Error("the other end of this connection is gone");
    const allowed = piece.subarray(0, Math.min(this.#bytesLeft, piece.length));
    this.#bytesLeft -= allowed.length;
    const isFlowing = to.write(allowed);
    if (this.#bytesLeft <= 0) {
      this.#bytesLeft = Infinity;
      this.cut();
    } else if (!isFlowing) await Promise.race([once(to, "drain"), once(to, "close")]);
  }
}

function reset({ client, server }: Pair): void {
  for (const socket of [client, server]) {
    if (socket.destroyed) continue;
    // Node cannot reset a socket that it is shutting down: its handle would stay open, and the process would never end.
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}
