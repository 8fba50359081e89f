import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { EXIT_MISCONFIGURED } from "#shared/exit-codes.ts";
import { LaunchError } from "./launch-error.ts";
import { processIdentity, type ProcessIdentity } from "./process-identity.mjs";
import type { ServicePlan } from "./service-plan.ts";
import { splitLines } from "./split-lines.ts";
import { waitUntilReady } from "./wait-until-ready.ts";
import { SERVICE_NODE_FLAGS } from "./service-node-flags.ts";

export type Backoff = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A service that ran this long starts again with the first pause. */
  readonly healthyMs: number;
  /** So many deaths in a row before it was ever ready are enough. */
  readonly maxQuickDeaths: number;
};

export type Supervision = {
  readonly plan: ServicePlan;
  readonly cwd: string;
  /** Gets every line of the service's output and, marked by `isOurs`, what we have to say about it. */
  readonly onLine: (line: string, isOurs?: boolean) => void;
  /** Told whenever another process (or none) runs for it, so that it can be found after we were killed. */
  readonly onProcess: (identity: ProcessIdentity | undefined) => void;
  readonly backoff?: Backoff;
};

export type SupervisedService = {
  readonly name: string;
  readonly stopStage: number;
  /** Settles when it was ready for the first time. */
  readonly ready: Promise<void>;
  /** What its readiness check said last, until it is ready. */
  readonly waitingFor: () => string;
  /** Rejects with a LaunchError when it is given up; settles when it has ended after `stop`. */
  readonly ended: Promise<void>;
  /** Asks it to end (SIGTERM) and to stay so; settles when its process is gone. */
  readonly stop: () => Promise<void>;
  /** Ends it at once (SIGKILL). */
  readonly kill: () => Promise<void>;
};

const defaultBackoff: Backoff = { firstMs: 250, maxMs: 10_000, healthyMs: 30_000, maxQuickDeaths: 5 };
const lastLinesKept = 8;

/** The pause before start number `deaths` + 1, jittered so that several do not come back in step. */
export function pauseAfter(deaths: number, { firstMs, maxMs }: Backoff, random = Math.random): number {
  return Math.min(maxMs, firstMs * 2 ** (deaths - 1)) * (0.5 + random() / 2);
}

/** How a service ends that must not be started again as it is. */
const MISCONFIGURED = `exit code ${EXIT_MISCONFIGURED}`;

type Run = { child: ChildProcess; exited: Promise<string> };

function startProcess({ plan, cwd }: Supervision, onLine: (line: string) => void): Run {
  const child = spawn(process.execPath, [...SERVICE_NODE_FLAGS, plan.entry], {
    cwd,
    env: plan.env,
    // A session of its own: the terminal's Ctrl-C goes to us alone, who stop the services in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    const lines = splitLines(onLine);
    stream?.on("data", lines.push);
    stream?.on("end", lines.end);
  }
  // "close" comes when its output is complete as well, so its last words precede what we say about its end.
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  return { child, exited };
}

/** Keeps one service running until it is told to stop, starting it again when it dies. */
class ServiceKeeper {
  readonly #options: Supervision;
  readonly #backoff: Backoff;
  readonly #stopRequest = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #lastLines: string[] = [];
  readonly #ended: Promise<void>;
  #run: Run | undefined;
  #wasReady = false;
  #deaths = 0;
  #waitingFor = "it has not answered yet";

  constructor(options: Supervision) {
    this.#options = options;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#ended = this.#keep();
    this.#ended.catch(() => undefined); // whoever waits for it gets it as well
  }

  asService(): SupervisedService {
    const { name, stopStage } = this.#options.plan;
    return {
      name,
      stopStage,
      ready: this.#ready.promise,
      waitingFor: () => this.#waitingFor,
      ended: this.#ended,
      stop: async () => this.#end("SIGTERM"),
      kill: async () => this.#end("SIGKILL"),
    };
  }

  async #keep(): Promise<void> {
    while (!this.#stopRequest.signal.aborted) {
      const startedAt = performance.now();
      const reason = await this.#runOnce();
      if (this.#stopRequest.signal.aborted) return;
      if (performance.now() - startedAt >= this.#backoff.healthyMs) this.#deaths = 0;
      this.#deaths += 1;
      const isHopeless = reason === MISCONFIGURED || this.#deaths >= this.#backoff.maxQuickDeaths;
      if (!this.#wasReady && isHopeless) throw this.#givenUp(reason);
      const pause = pauseAfter(this.#deaths, this.#backoff);
      this.#say(`ended unexpectedly (${reason}); starting it again in ${(pause / 1000).toFixed(1)} s`);
      await delay(pause, undefined, { signal: this.#stopRequest.signal }).catch(() => undefined);
    }
  }

  async #runOnce(): Promise<string> {
    const run = startProcess(this.#options, (line) => this.#takeLine(line));
    this.#run = run;
    this.#options.onProcess(processIdentity(run.child.pid ?? 0));
    const gone = new AbortController();
    const watching = this.#watchReadiness(AbortSignal.any([gone.signal, this.#stopRequest.signal]));
    const reason = await run.exited;
    this.#run = undefined;
    gone.abort();
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
    if (this.#wasReady) this.#say("ready again");
    this.#wasReady = true;
    this.#ready.resolve();
  }

  #takeLine(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > lastLinesKept) this.#lastLines.shift();
    this.#options.onLine(line);
  }

  #say(line: string): void {
    this.#options.onLine(line, true);
  }

  #givenUp(reason: string): LaunchError {
    const words =
      this.#lastLines.length === 0 ? "it said nothing" : `its last words:\n${this.#lastLines.join("\n")}`;
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
    // The reason for giving up has gone to whoever waits for `ended`.
    await this.#ended.catch(() => undefined);
  }
}

/** Starts a service as a process of its own and keeps it running, see `Backoff`. */
export function superviseService(options: Supervision): SupervisedService {
  return new ServiceKeeper(options).asService();
}
