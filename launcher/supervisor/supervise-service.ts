import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { EXIT_MISCONFIGURED } from "#shared/service/exit-codes.ts";
import { LaunchError } from "../launch-error.ts";
import { processIdentity, type ProcessIdentity } from "../process/process-identity.mjs";
import type { ServicePlan } from "./plan-services.ts";
import { splitLines } from "./split-lines.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

export type Backoff = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** The pauses start after a run of this length from `firstMs` again. */
  readonly healthyMs: number;
  /** The launcher gives up a service that dies this many times before it was ever ready. */
  readonly maxQuickDeaths: number;
};

type Supervision = {
  readonly plan: ServicePlan;
  readonly cwd: string;
  /** Called with every line of the service's output and, with `fromLauncher`, with messages about it. */
  readonly onLine: (line: string, fromLauncher?: boolean) => void;
  /** Called when a process starts, and with `undefined` when it has ended. */
  readonly onProcess: (identity: ProcessIdentity | undefined) => void;
  readonly backoff?: Backoff;
  /** A service with it that ends before it is ready is not given up: it waits for `restart`. */
  readonly dev?: DevSupervision;
};

type DevSupervision = {
  /** Called before each start of a process. */
  readonly onStart: () => void;
  /** Called with what the process sends over its channel. */
  readonly onMessage: (message: unknown) => void;
};

export type SupervisedService = {
  readonly name: string;
  readonly stopStage: number;
  /** The id of its process; undefined while none runs. */
  readonly pid: () => number | undefined;
  /** Resolves when it is ready for the first time. */
  readonly ready: Promise<void>;
  /** The last answer of its readiness check, until it is ready. */
  readonly waitingFor: () => string;
  /** Rejects with a LaunchError if the launcher gives it up; resolves when it has ended after `stop`. */
  readonly ended: Promise<void>;
  /** True while no process runs because the last one ended before it was ready. */
  readonly waitsForRestart: () => boolean;
  /**
   * Ends the process in order, or after 5 s by SIGKILL, and starts the next one at once; `cause` is printed. During a restart
   * it does nothing unless the next process runs already.
   */
  readonly restart: (cause: string) => void;
  /** Sends SIGTERM and does not restart it; resolves when its process has ended. */
  readonly stop: () => Promise<void>;
  /** Sends SIGKILL and does not restart it; resolves when its process has ended. */
  readonly kill: () => Promise<void>;
};

const defaultBackoff: Backoff = { firstMs: 250, maxMs: 10_000, healthyMs: 30_000, maxQuickDeaths: 5 };
const maxLastLines = 8;
/** A process that a debugger holds at a breakpoint does not stop by itself. */
const restartStopMs = 5_000;

/** The pause in ms after this many deaths in a row, jittered so that several services do not restart in step. */
export function pauseAfter(deaths: number, { firstMs, maxMs }: Backoff, random = Math.random): number {
  return Math.min(maxMs, firstMs * 2 ** (deaths - 1)) * (0.5 + random() / 2);
}

/** The end of a service whose configuration is invalid; a restart would not help. */
const MISCONFIGURED = `exit code ${EXIT_MISCONFIGURED}`;

type ServiceRun = { child: ChildProcess; exited: Promise<string> };

function startProcess({ plan, cwd, dev }: Supervision, onLine: (line: string) => void): ServiceRun {
  dev?.onStart();
  const child = spawn(process.execPath, [...(plan.nodeFlags ?? []), plan.entry], {
    cwd,
    env: plan.env,
    // A new session, so that the terminal's Ctrl-C reaches only the launcher, which stops the services in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (dev !== undefined) child.on("message", dev.onMessage);
  for (const stream of [child.stdout, child.stderr]) {
    const lines = splitLines(onLine);
    stream?.on("data", lines.push);
    stream?.on("end", lines.end);
  }
  // "close" follows the end of its output, so its last lines precede the message about its end.
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  return { child, exited };
}

/** Keeps one service running until `stop`; restarts it when it dies. */
class ServiceSupervisor {
  readonly #options: Supervision;
  readonly #backoff: Backoff;
  readonly #stopRequest = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #lastLines: string[] = [];
  readonly #ended: Promise<void>;
  #run: ServiceRun | undefined;
  #wasReady = false;
  /** Concerns the process that runs, or ran last. */
  #isReady = false;
  #waits = false;
  #deaths = 0;
  /** When its process ended, or was asked to. */
  #awaySince = 0;
  #restartRequest = new AbortController();
  #waitingFor = "it has not answered yet";

  constructor(options: Supervision) {
    this.#options = options;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#ended = this.#keep();
    this.#ended.catch(() => undefined); // callers of `ended` get the error
  }

  asService(): SupervisedService {
    const { name, stopStage } = this.#options.plan;
    return {
      name,
      stopStage,
      pid: () => this.#run?.child.pid,
      ready: this.#ready.promise,
      waitingFor: () => this.#waitingFor,
      ended: this.#ended,
      waitsForRestart: () => this.#waits,
      restart: (cause) => this.#restart(cause),
      stop: async () => this.#end("SIGTERM"),
      kill: async () => this.#end("SIGKILL"),
    };
  }

  async #keep(): Promise<void> {
    while (!this.#stopRequest.signal.aborted) {
      const startedAt = performance.now();
      if (this.#restartRequest.signal.aborted) this.#restartRequest = new AbortController();
      const reason = await this.#runOnce();
      if (this.#stopRequest.signal.aborted) return;
      if (this.#restartRequest.signal.aborted) continue;
      this.#awaySince = performance.now();
      if (this.#options.dev !== undefined && !this.#isReady) {
        await this.#waitForRestart(reason);
        continue;
      }
      if (performance.now() - startedAt >= this.#backoff.healthyMs) this.#deaths = 0;
      this.#deaths += 1;
      const isHopeless = reason === MISCONFIGURED || this.#deaths >= this.#backoff.maxQuickDeaths;
      if (!this.#wasReady && isHopeless) throw this.#givenUp(reason);
      const pause = pauseAfter(this.#deaths, this.#backoff);
      this.#report(`ended unexpectedly (${reason}); starting it again in ${(pause / 1000).toFixed(1)} s`);
      await delay(pause, undefined, { signal: this.#nextOrder() }).catch(() => undefined);
    }
  }

  async #waitForRestart(reason: string): Promise<void> {
    this.#report(`does not start (${reason}); it is started again when a file changes`);
    this.#waits = true;
    const order = this.#nextOrder();
    if (!order.aborted) await once(order, "abort");
    this.#waits = false;
  }

  /** Aborts with the next request to stop or to restart. */
  #nextOrder(): AbortSignal {
    return AbortSignal.any([this.#stopRequest.signal, this.#restartRequest.signal]);
  }

  #restart(cause: string): void {
    if (this.#stopRequest.signal.aborted || this.#restartRequest.signal.aborted) return;
    this.#report(`restarting: ${cause}`);
    this.#awaySince = performance.now();
    this.#restartRequest.abort();
    const child = this.#run?.child;
    if (child === undefined) return;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), restartStopMs);
    child.once("exit", () => clearTimeout(timer));
  }

  async #runOnce(): Promise<string> {
    this.#isReady = false;
    const run = startProcess(this.#options, (line) => this.#takeLine(line));
    this.#run = run;
    this.#options.onProcess(processIdentity(run.child.pid ?? 0));
    const exit = new AbortController();
    const watching = this.#watchReadiness(AbortSignal.any([exit.signal, this.#stopRequest.signal]));
    const reason = await run.exited;
    this.#run = undefined;
    exit.abort();
    await watching;
    this.#options.onProcess(undefined);
    return reason;
  }

  async #watchReadiness(signal: AbortSignal): Promise<void> {
    try {
      await waitUntilReady(this.#options.plan.readyUrl, signal, (answer) => {
        this.#waitingFor = answer;
      });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const seconds = ((performance.now() - this.#awaySince) / 1_000).toFixed(1);
    if (this.#wasReady) this.#report(`ready again after ${seconds} s`);
    this.#isReady = true;
    this.#wasReady = true;
    this.#ready.resolve();
  }

  #takeLine(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > maxLastLines) this.#lastLines.shift();
    this.#options.onLine(line);
  }

  #report(line: string): void {
    this.#options.onLine(line, true);
  }

  #givenUp(reason: string): LaunchError {
    const words =
      this.#lastLines.length === 0 ? "it printed nothing" : `its last output:\n${this.#lastLines.join("\n")}`;
    if (reason === MISCONFIGURED) {
      return new LaunchError(
        `${this.#options.plan.name} cannot use its settings, so TARSy cannot start; ${words}`,
      );
    }
    return new LaunchError(
      `${this.#options.plan.name} ended ${this.#deaths} times in a row before it was ready (${reason}), so TARSy cannot start; ${words}`,
    );
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#stopRequest.abort();
    this.#run?.child.kill(signal);
    // Callers of `ended` get the error.
    await this.#ended.catch(() => undefined);
  }
}

/** Starts a service as a separate process and keeps it running; `backoff` sets the pauses between restarts. */
export function superviseService(options: Supervision): SupervisedService {
  return new ServiceSupervisor(options).asService();
}
