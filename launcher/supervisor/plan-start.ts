import { randomBytes } from "node:crypto";
import { type Environment, secretVariable } from "#shared/service/environment.ts";
import type { Ports } from "../choose-ports.ts";
import type { ConfigDirectory } from "../find-config-directory.ts";
import { freePort } from "../free-port.ts";
import type { ServerEndpoints } from "../open-servers.ts";
import type { ProjectPaths } from "../project-paths.ts";
import {
  busEnvironment,
  databaseEnvironment,
  planServices,
  programsEnvironment,
  reachableHost,
  type ServicePlan,
} from "./plan-services.ts";

/** The facts that are known before the processes of a start are planned. */
type PlanStart = {
  readonly paths: ProjectPaths;
  /** The file of a service's program. */
  readonly entryOf: (service: string) => string;
  readonly executors: number;
  readonly config: ConfigDirectory;
  readonly providerKeys: readonly string[];
  readonly servers: ServerEndpoints;
  readonly ports: Ports;
  readonly access: Environment;
  readonly host: string;
};

/** The token that executors send to the gateway: the user's, else a random one for this start. */
function gatewayToken(env: Environment): string {
  const given = secretVariable(env, "LLM_GATEWAY_TOKEN");
  return given === "" ? randomBytes(32).toString("base64url") : given;
}

/** The service processes of one start, each with the environment that it needs and a health port of its own. */
export async function planStart({
  paths,
  entryOf,
  executors,
  config,
  providerKeys,
  servers,
  ports,
  access,
  host,
}: PlanStart): Promise<ServicePlan[]> {
  const extraHealthPorts = await Promise.all(
    Array.from({ length: executors - 1 }, async () => freePort(host)),
  );
  return planServices({
    entryOf,
    compileCacheDir: paths.compileCache,
    executors,
    ports,
    extraHealthPorts,
    host,
    providerKeys,
    env: {
      LOG_FORMAT: "pretty",
      LLM_GATEWAY_ADDR: `${reachableHost(host)}:${ports.get("LLM_GATEWAY_PORT")}`,
      NOTIFIER_ADDR: `${reachableHost(host)}:${ports.get("NOTIFIER_PORT")}`,
      ...config.env,
      ...access,
      CONFIG_DIR: config.path,
      DATABASE_URL_FILE: "",
      NATS_URL_FILE: "",
      NATS_ADMIN_URL_FILE: "",
      LLM_GATEWAY_TOKEN: gatewayToken(config.env),
      LLM_GATEWAY_TOKEN_FILE: "",
    },
    serviceEnv: (service) => ({
      ...busEnvironment(service, servers.nats.urlOf),
      ...databaseEnvironment(service, servers.postgres.serviceUrls),
      ...programsEnvironment(service, { root: paths.root, env: config.env }),
    }),
  });
}
