import { spawn, type ChildProcess } from "node:child_process";
import { basename, join } from "node:path";
import { TIME_SCALE } from "#shared/contracts/durations.ts";
import { projectPaths } from "../../launcher/project-paths.ts";
import { ONE_HEAP } from "../../launcher/supervisor/plan-services.ts";
import { killOnExit } from "./kill-on-exit.ts";

/** The directory of this checkout. */
export const CHECKOUT = join(import.meta.dirname, "../..");

export const SERVICES = ["tool-runner", "llm-gateway", "executor", "notifier", "api"] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Names the directory with the bundles of this checkout's services, where a run has made them (run-bundles.ts). */
export const BUNDLES_VARIABLE = "TEST_BUNDLES";

/** Flags of Node in a run, which keeps every core busy: the garbage collector's own threads cost more there than they save. */
export const BUSY_NODE_FLAGS = ["--single-threaded-gc"];

/** The programs that a run bundles, by their folders. */
export const BUNDLED = [...SERVICES.map((name) => `services/${name}` as const), "scripts/tarsy"] as const;

/** The file to run for a program of this checkout: its bundle, in a run that has one, or its source. */
export function programEntry(folder: (typeof BUNDLED)[number]): string {
  const bundles = process.env[BUNDLES_VARIABLE];
  return bundles === undefined
    ? join(CHECKOUT, folder, "main.ts")
    : join(bundles, basename(folder), "main.mjs");
}

/** The variable that holds the port of a service's /readyz and /metrics. */
export const HEALTH_VARIABLE: Readonly<Record<ServiceName, string>> = {
  api: "API_HEALTH_PORT",
  executor: "EXECUTOR_HEALTH_PORT",
  "llm-gateway": "LLM_GATEWAY_HEALTH_PORT",
  "tool-runner": "TOOL_RUNNER_HEALTH_PORT",
  notifier: "NOTIFIER_HEALTH_PORT",
};

interface SpawnService {
  readonly name: ServiceName;
  /** The complete environment, except for what the launcher adds for a faster start. */
  readonly env: NodeJS.ProcessEnv;
  /** `inherit` writes to the output of this process. */
  readonly output: "pipe" | "inherit" | "ignore";
  /** The directory with the code of the service; by default this checkout. */
  readonly checkout?: string;
  /** The file to run; by default `programEntry`, or the service's `main.ts` in another checkout. */
  readonly entry?: string;
  /** Flags of Node; by default none, and in a run BUSY_NODE_FLAGS. */
  readonly flags?: readonly string[];
}

/** Starts a service as the launcher does. It is killed when this process ends. */
export function spawnService({
  name,
  env,
  output,
  checkout = CHECKOUT,
  entry = checkout === CHECKOUT
    ? programEntry(`services/${name}`)
    : join(checkout, "services", name, "main.ts"),
  flags = BUNDLES_VARIABLE in process.env ? BUSY_NODE_FLAGS : [],
}: SpawnService): ChildProcess {
  const child = spawn(process.execPath, [...flags, entry], {
    cwd: checkout,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: projectPaths(CHECKOUT).compileCache,
      ...ONE_HEAP,
      TARSY_TIME_SCALE: String(TIME_SCALE),
      ...env,
    },
    // The service exits when the channel closes, so it does not outlive a killed test process.
    stdio: ["ignore", output, output, "ipc"],
  });
  const registration = killOnExit(child.pid ?? 0);
  child.once("exit", () => registration[Symbol.dispose]());
  return child;
}
