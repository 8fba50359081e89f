import type { RunningService, TarsySystem } from "../../support/tarsy-system.ts";
import type { TcpProxy } from "../../support/tcp-proxy.ts";

interface SlotParts {
  readonly index: number;
  readonly system: TarsySystem;
  readonly postgres: TcpProxy;
  readonly nats: TcpProxy;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs one executor process after another behind the same two links. */
export class ExecutorSlot {
  readonly #parts: SlotParts;
  #incarnation = 0;
  #service: RunningService | undefined;
  /** When processes of this slot were killed, with the `lease_owner` of each. */
  readonly kills: { readonly pod: string; readonly at: number }[] = [];

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  get index(): number {
    return this.#parts.index;
  }

  /** The link to Postgres. */
  get postgres(): TcpProxy {
    return this.#parts.postgres;
  }

  /** The link to NATS. */
  get nats(): TcpProxy {
    return this.#parts.nats;
  }

  /** The `lease_owner` of the current process. */
  get pod(): string {
    return `executor-${this.#parts.index}-${this.#incarnation}`;
  }

  get service(): RunningService {
    if (this.#service === undefined) throw new Error(`no executor runs in slot ${this.#parts.index}`);
    return this.#service;
  }

  get isRunning(): boolean {
    const child = this.#service?.process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts a process; resolves once it is ready, or once it is spawned. */
  async start({ ready = true }: { ready?: boolean } = {}): Promise<void> {
    this.#incarnation += 1;
    const DATABASE_URL = this.postgres.leadTo(this.#parts.system.databaseUrl("executor"));
    const env = { ...this.#parts.env, DATABASE_URL, POD_ID: this.pod, PGOPTIONS: `-c tarsy.pod=${this.pod}` };
    this.#service = await this.#parts.system.launchService("executor", env);
    if (ready) await this.#parts.system.untilReady(this.#service);
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.kills.push({ pod: this.pod, at: Date.now() });
    await this.#parts.system.end(this.service, "SIGKILL");
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.#parts.system.end(this.service, "SIGTERM");
  }

  freeze(): void {
    this.service.process.kill("SIGSTOP");
  }

  thaw(): void {
    this.service.process.kill("SIGCONT");
  }
}
