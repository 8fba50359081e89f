import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Between an executor and Postgres: can lose the reply to a COMMIT, and the connection with it. */
export class LostReplyProxy implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#join(client));
  readonly #target: number;
  #commitsLeft = Number.POSITIVE_INFINITY;

  private constructor(target: number) {
    this.#target = target;
  }

  static async start(target: number): Promise<LostReplyProxy> {
    const proxy = new LostReplyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    return address.port;
  }

  /** The nth COMMIT from now on takes effect, but nobody is told. */
  loseReply(nth: number): void {
    this.#commitsLeft = nth;
  }

  /** Whether the armed reply was lost. */
  get hasLost(): boolean {
    return this.#commitsLeft <= 0;
  }

  #join(client: Socket): void {
    const server = connect(this.#target, "127.0.0.1");
    let isLosing = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      // Broken connections are what this is for.
      socket.on("error", () => undefined);
    }
    client.on("data", (data: Buffer) => {
      if (data.includes("COMMIT\0")) {
        this.#commitsLeft -= 1;
        isLosing = this.#commitsLeft === 0;
      }
      server.write(data);
    });
    // Postgres answers once the transaction is durable: now it is lost.
    server.on("data", (data: Buffer) => (isLosing ? client.destroy() : client.write(data)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
