import { readAccessConfig, readOrigin, type AccessConfig } from "#shared/access/access-config.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envInteger, envList, envPort, type Environment } from "#shared/service/environment.ts";
import {
  bindAddress,
  configDirectory,
  databaseUrl,
  natsUrl,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import { DEFAULT_LIMITS, type NotifierLimits } from "./limits.ts";

export interface NotifierConfig extends ServiceConfig {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Listen address for WebSocket clients; port 0 lets the system choose. */
  readonly clients: { readonly host: string; readonly port: number };
  readonly access: AccessConfig;
  readonly limits: NotifierLimits;
}

/** Reads the settings from the environment and `<config-dir>/.env`. Throws TerminalError naming the variable. */
export function loadNotifierConfig(processEnv: Environment): NotifierConfig {
  const env = readConfigEnvironment(configDirectory(processEnv), processEnv);
  const access = readAccessConfig(env);
  const name = "WS_ALLOWED_ORIGINS";
  const socketOrigins = envList(env, name).map((origin) => readOrigin(name, origin));
  return {
    ...readServiceConfig(env, { name: "NOTIFIER_HEALTH_PORT", fallback: 8094 }),
    // It sends copies of events that others have traced.
    telemetry: undefined,
    databaseUrl: databaseUrl(env),
    natsUrl: natsUrl(env),
    clients: { host: bindAddress(env), port: envPort(env, "NOTIFIER_PORT", 8081) },
    access: { ...access, origins: new Set([...access.origins, ...socketOrigins]) },
    limits: {
      ...DEFAULT_LIMITS,
      maxConnections: envInteger(env, "NOTIFIER_MAX_CONNECTIONS", {
        fallback: DEFAULT_LIMITS.maxConnections,
        min: 1,
        max: 1_000_000,
      }),
    },
  };
}
