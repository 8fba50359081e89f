import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LaunchError } from "../launch-error.ts";
import {
  isRunning,
  parseProcessIdentity,
  processIdentity,
  type ProcessIdentity,
} from "./process-identity.mjs";
import { type StopSteps, stopProcess } from "./stop-process.ts";

/** A PostgreSQL or NATS server that runs as a child of this process. */
export type ServerProcess = {
  readonly pid: number;
  /** Resolves with "exit code 1", "signal SIGKILL" or an error message when the process has ended. */
  readonly exited: Promise<string>;
  readonly hasExited: () => boolean;
  /** Sends the signals of `stopSteps` until it has ended; skips the first step once `force` aborts. Idempotent. */
  readonly stop: (force?: AbortSignal) => Promise<void>;
};

type SpawnServer = {
  readonly command: string;
  readonly args: readonly string[];
  /** Directory of the log and of the record of the running server. */
  readonly stateDir: string;
  readonly cwd: string;
  readonly stopSteps: StopSteps;
};

const maxLogBytes = 16 * 1024 * 1024;
const recordName = "server.json";
const logName = "server.log";

function openLog(stateDir: string): number {
  const path = join(stateDir, logName);
  if (existsSync(path) && statSync(path).size > maxLogBytes) renameSync(path, `${path}.old`);
  return openSync(path, "a", 0o600);
}

/** The last `lines` lines of the server's log in `stateDir`, for an error message. */
export function lastLogLines(stateDir: string, lines = 6): string {
  const path = join(stateDir, logName);
  if (!existsSync(path)) return "";
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}

function readRecord(path: string): { server?: ProcessIdentity; owner?: ProcessIdentity } {
  if (!existsSync(path)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value !== "object" || value === null) return {};
    const server = "server" in value ? parseProcessIdentity(value.server) : undefined;
    const owner = "owner" in value ? parseProcessIdentity(value.owner) : undefined;
    return { ...(server && { server }), ...(owner && { owner }) };
  } catch {
    // Incomplete because its writer was killed.
    return {};
  }
}

/**
 * Stops the server that a killed owner left running in `stateDir`.
 * @throws LaunchError if its owner is alive.
 */
export async function stopAbandonedServer(stateDir: string, stopSteps: StopSteps): Promise<void> {
  const path = join(stateDir, recordName);
  const { server, owner } = readRecord(path);
  if (server !== undefined && isRunning(server)) {
    if (owner !== undefined && isRunning(owner)) {
      throw new LaunchError(
        `${stateDir} is in use by the server ${server.pid} of process ${owner.pid}; stop that one first or use another data directory.`,
      );
    }
    await stopProcess(server, stopSteps);
  }
  rmSync(path, { force: true });
}

/** Starts a server in a new session, so that the terminal's Ctrl-C does not reach it, and records it in `stateDir`. */
export function spawnServer(options: SpawnServer): ServerProcess {
  const log = openLog(options.stateDir);
  const record = join(options.stateDir, recordName);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    detached: true,
    stdio: ["ignore", log, log],
    env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" },
  });
  closeSync(log);
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const end = (why: string): void => {
      ended = true;
      resolve(why);
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  const pid = child.pid ?? 0;
  writeFileSync(
    record,
    JSON.stringify({ server: processIdentity(pid), owner: processIdentity(process.pid) }),
  );

  const end = async (force?: AbortSignal): Promise<void> => {
    const [gentle, ...hard] = options.stopSteps;
    for (const { signal, waitMs } of gentle === undefined || force?.aborted === true
      ? hard
      : [gentle, ...hard]) {
      if (ended) break;
      child.kill(signal);
      const timeoutSignal = signal === gentle?.signal && force !== undefined ? { signal: force } : {};
      const timeout = delay(waitMs, undefined, { ...timeoutSignal, ref: false }).catch(() => undefined);
      await Promise.race([exited, timeout]);
    }
    await exited;
    rmSync(record, { force: true });
  };
  let stopping: Promise<void> | undefined;
  return { pid, exited, hasExited: () => ended, stop: async (force) => (stopping ??= end(force)) };
}
