import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envInteger, envPort, envText, type Environment } from "#shared/service/environment.ts";
import { TerminalError } from "#shared/errors.ts";
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
  /** Exact origins such as `https://tarsy.example.com`, or `null`; undefined allows loopback names on any port. */
  readonly allowedOrigins: readonly string[] | undefined;
  readonly limits: NotifierLimits;
}

/** Reads the settings from the environment and `<config-dir>/.env`. Throws TerminalError naming the variable. */
export function loadConfig(processEnv: Environment): NotifierConfig {
  const env = readConfigEnvironment(configDirectory(processEnv), processEnv);
  return {
    ...readServiceConfig(env, { name: "NOTIFIER_HEALTH_PORT", fallback: 8094 }),
    databaseUrl: databaseUrl(env),
    natsUrl: natsUrl(env),
    clients: { host: bindAddress(env), port: envPort(env, "NOTIFIER_PORT", 8081) },
    allowedOrigins: allowedOrigins(envText(env, "WS_ALLOWED_ORIGINS", "")),
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

function allowedOrigins(text: string): readonly string[] | undefined {
  const origins = text
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");
  for (const origin of origins) {
    // The origin of pages opened from a file and of sandboxed frames on any site: allowed only if listed.
    if (origin === "null") continue;
    const url = URL.parse(origin);
    if (url === null || !/^https?:$/u.test(url.protocol) || url.origin !== origin) {
      throw new TerminalError(
        "invalid_environment",
        `environment variable WS_ALLOWED_ORIGINS contains "${origin}": each entry must be an origin such as https://tarsy.example.com, without a path`,
      );
    }
  }
  return origins.length === 0 ? undefined : origins;
}
