import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "#shared/listen.ts";

/** Passes bytes both ways to a server on this machine until it falls silent: then it keeps every link open and drops all. */
export class SilentProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent = false;

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      const far = connect(targetPort, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (bytes) => {
          if (!this.#silent) to.write(bytes);
        });
        from.on("error", () => undefined);
        from.on("close", () => {
          this.#sockets.delete(from);
          if (!this.#silent) to.destroy();
        });
      }
    });
  }

  static async start(targetPort: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(targetPort);
    await listen(proxy.#server, { host: "127.0.0.1", port: 0 });
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  /** From now on nothing passes, on open links and on new ones. */
  fallSilent(): void {
    this.#silent = true;
  }

  /** New links work again; those from before stay dead, as after a partition that lost their state. */
  recover(): void {
    for (const socket of this.#sockets) socket.removeAllListeners("data").on("data", () => undefined);
    this.#silent = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
