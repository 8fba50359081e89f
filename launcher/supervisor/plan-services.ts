import { join } from "node:path";
import type { Ports } from "./ports.ts";

/** One process to run. */
export type ServicePlan = {
  /** Unique, as shown in front of its output: "executor-2". */
  readonly name: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readyUrl: string;
  /** Services of a lower stage stop before those of a higher one. */
  readonly stopStage: 0 | 1 | 2;
};

type PlanServices = {
  /** Holds `<service>/main.ts`. */
  readonly servicesDir: string;
  /** Keeps code that was stripped of its types and compiled: a service then starts faster and 11-14 MB smaller. */
  readonly compileCacheDir: string;
  readonly executors: number;
  readonly ports: Ports;
  /** One health port for each further executor. */
  readonly extraHealthPorts: readonly number[];
  readonly host: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** What a client on this machine connects to when a server listens on `host`. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Nobody new gets in, then running work is finished or handed over, then what the work needed may go. */
const stages = [
  { service: "tool-runner", variable: "TOOL_RUNNER_HEALTH_PORT", stopStage: 2 },
  { service: "llm-gateway", variable: "LLM_GATEWAY_HEALTH_PORT", stopStage: 2 },
  { service: "executor", variable: "EXECUTOR_HEALTH_PORT", stopStage: 1 },
  { service: "notifier", variable: "NOTIFIER_HEALTH_PORT", stopStage: 2 },
  { service: "api", variable: "API_HEALTH_PORT", stopStage: 0 },
] as const;

/** Every process of one start, in the order of starting; they wait for each other, so the order is only for the eye. */
export function planServices(options: PlanServices): ServicePlan[] {
  const own = Object.fromEntries([...options.ports].map(([name, port]) => [name, String(port)]));
  return stages.flatMap(({ service, variable, stopStage }) => {
    const entry = join(options.servicesDir, service, "main.ts");
    const first = options.ports.get(variable) ?? 0;
    const healthPorts = service === "executor" ? [first, ...options.extraHealthPorts] : [first];
    return healthPorts.map((port, index) => ({
      name: index === 0 ? service : `${service}-${index + 1}`,
      entry,
      env: {
        NODE_COMPILE_CACHE: options.compileCacheDir,
        ...options.env,
        ...own,
        [variable]: String(port),
      },
      readyUrl: `http://${reachableHost(options.host)}:${port}/readyz`,
      stopStage,
    }));
  });
}
