import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { projectPaths } from "../../launcher/project-paths.ts";
import { SERVICE_NODE_FLAGS } from "../../launcher/service-node-flags.ts";
import { killOnExit } from "./kill-on-exit.ts";

const ROOT = join(import.meta.dirname, "../..");

export const SERVICES = ["tool-runner", "llm-gateway", "executor", "notifier", "api"] as const;
export type ServiceName = (typeof SERVICES)[number];

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
  /** All of its environment, but for what the launcher adds to start it faster. */
  readonly env: NodeJS.ProcessEnv;
  /** `inherit` writes to this process's own output. */
  readonly output: "pipe" | "inherit" | "ignore";
}

/** Starts a service as the launcher does. It ends at the latest with this process. */
export function spawnService({ name, env, output }: SpawnService): ChildProcess {
  const child = spawn(process.execPath, [...SERVICE_NODE_FLAGS, join(ROOT, "services", name, "main.ts")], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: projectPaths(ROOT).compileCache, ...env },
    // The channel tells the service when a killed test process is gone.
    stdio: ["ignore", output, output, "ipc"],
  });
  const doomed = killOnExit(child.pid ?? 0);
  child.once("exit", () => doomed[Symbol.dispose]());
  return child;
}
