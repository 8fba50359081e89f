import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { SERVICE_NODE_FLAGS } from "../../../launcher/service-node-flags.ts";
import { untilExited } from "../support/until-exited.ts";
import { parseClientsReport, type ClientsReport, type ClientsTask } from "./storm-task.ts";

const PROGRAM = join(import.meta.dirname, "storm-clients-process.ts");

/** The clients of a storm, in a separate process. */
export class StormClients implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the process; resolves when it is ready to connect the clients. */
  static async start(task: ClientsTask): Promise<StormClients> {
    const clients = new StormClients(
      fork(PROGRAM, [JSON.stringify(task)], { execArgv: [...SERVICE_NODE_FLAGS] }),
    );
    await clients.#until("ready");
    return clients;
  }

  /** Connects all clients at once. The promises resolve when all are connected, and when each has its whole history. */
  go(signal: AbortSignal): { readonly open: Promise<void>; readonly whole: Promise<void> } {
    const milestones = { open: this.#until("open", signal), whole: this.#until("whole", signal) };
    for (const milestone of Object.values(milestones)) milestone.catch(() => undefined);
    this.#child.send("go");
    return milestones;
  }

  async report(): Promise<ClientsReport> {
    const answered: Promise<readonly unknown[]> = once(this.#child, "message");
    this.#child.send("take");
    return parseClientsReport((await answered)[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await untilExited(this.#child);
  }

  async #until(milestone: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onMessage = (message: unknown) => {
      if (message === milestone) resolve();
    };
    const onExit = () => reject(new Error("the process of the storm's clients has ended"));
    const onAbort = () => reject(signal?.reason);
    this.#child.on("message", onMessage);
    this.#child.once("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      this.#child.off("message", onMessage);
      this.#child.off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
    }
  }
}
