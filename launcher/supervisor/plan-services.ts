import { delimiter, join } from "node:path";
import type { BusUser } from "#shared/contracts/subjects.ts";
import type { ServiceUrls } from "#shared/database/schema/service-urls.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Ports } from "../choose-ports.ts";
import { projectPaths } from "../project-paths.ts";
import { serviceEnvironment } from "./service-environment.ts";

/** One service process to run. */
export type ServicePlan = {
  /** Unique; printed before its output, for example "executor-2". */
  readonly name: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readyUrl: string;
  /** Services of a lower stage stop first. */
  readonly stopStage: 0 | 1 | 2;
  /** Further flags of Node. */
  readonly nodeFlags?: readonly string[];
};

type PlanServices = {
  /** The file of a service's program. */
  readonly entryOf: (service: string) => string;
  /** Node's compile cache: with it a service starts faster and uses 11-14 MB less memory. */
  readonly compileCacheDir: string;
  readonly executors: number;
  readonly ports: Ports;
  /** One health port for each further executor. */
  readonly extraHealthPorts: readonly number[];
  readonly host: string;
  /** Each service gets the part that it needs. */
  readonly env: Environment;
  /** Names of the variables with credentials of LLM providers. */
  readonly providerKeys: readonly string[];
  /** The variables of one service; they override `env`. */
  readonly serviceEnv: (service: PlannedService) => Readonly<Record<string, string | undefined>>;
};

/** The host that a client on this machine connects to if a server listens on `host`. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** The api stops first, so that no work arrives; then executors finish or release their work; then the services they use. */
const stages = [
  { service: "tool-runner", variable: "TOOL_RUNNER_HEALTH_PORT", stopStage: 2 },
  { service: "llm-gateway", variable: "LLM_GATEWAY_HEALTH_PORT", stopStage: 2 },
  { service: "executor", variable: "EXECUTOR_HEALTH_PORT", stopStage: 1 },
  { service: "notifier", variable: "NOTIFIER_HEALTH_PORT", stopStage: 2 },
  { service: "api", variable: "API_HEALTH_PORT", stopStage: 0 },
] as const;

type PlannedService = (typeof stages)[number]["service"];

/** A service's own user of NATS; only the api has a second one, which may create the streams. */
export function busEnvironment(
  service: PlannedService,
  urlOf: (user: BusUser) => string,
): Readonly<Record<"NATS_URL" | "NATS_ADMIN_URL", string | undefined>> {
  return {
    NATS_URL: service === "llm-gateway" ? undefined : urlOf(service),
    NATS_ADMIN_URL: service === "api" ? urlOf("stream-admin") : undefined,
  };
}

/** A service's own role of the database. */
export function databaseEnvironment(
  service: PlannedService,
  urls: ServiceUrls,
): Readonly<Record<"DATABASE_URL", string | undefined>> {
  return { DATABASE_URL: service === "llm-gateway" ? undefined : urls[service] };
}

/** The programs of TARSy's npm packages and packs, MCP servers among them, for the tool-runner, which starts them by name. */
export function programsEnvironment(
  service: PlannedService,
  { root, env }: { readonly root: string; readonly env: Environment },
): Readonly<Record<string, string>> {
  if (service !== "tool-runner") return {};
  const own = [join(root, "node_modules", ".bin"), join(projectPaths(root).packs, "bin")];
  return { PATH: [...own, env["PATH"] ?? ""].filter(Boolean).join(delimiter) };
}

/** One heap of malloc for all threads of a service: glibc gives each a heap of its own, of which most stays empty. */
export const ONE_HEAP = { MALLOC_ARENA_MAX: "1" } as const;

/** Every service process of one start, in the order of starting. The order does not matter: services wait for each other. */
export function planServices(options: PlanServices): ServicePlan[] {
  const portVariables = Object.fromEntries([...options.ports].map(([name, port]) => [name, String(port)]));
  return stages.flatMap(({ service, variable, stopStage }) => {
    const entry = options.entryOf(service);
    const first = options.ports.get(variable) ?? 0;
    const healthPorts = service === "executor" ? [first, ...options.extraHealthPorts] : [first];
    return healthPorts.map((port, index) => ({
      name: index === 0 ? service : `${service}-${index + 1}`,
      entry,
      env: {
        NODE_COMPILE_CACHE: options.compileCacheDir,
        ...ONE_HEAP,
        ...serviceEnvironment(service, options.env, options.providerKeys),
        ...options.serviceEnv(service),
        ...portVariables,
        [variable]: String(port),
      },
      readyUrl: `http://${reachableHost(options.host)}:${port}/readyz`,
      stopStage,
    }));
  });
}
