import { chooseConfigDirectory } from "#shared/agent-config/choose-config-directory.ts";
import { databaseAddress } from "#shared/database/connection/database-address.ts";
import { TerminalError } from "#shared/errors.ts";
import { knownSecrets } from "#shared/masking/known-secrets.ts";
import {
  envChoice,
  envPort,
  envRequired,
  envText,
  envUrlList,
  type Environment,
} from "#shared/service/environment.ts";
import {
  readTelemetrySettings,
  telemetrySecrets,
  type TelemetrySettings,
} from "#shared/telemetry/telemetry-settings.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "#shared/service/logger.ts";

/** Settings common to all services. */
export interface ServiceConfig {
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  /** The address of `/healthz`, `/readyz` and `/metrics`; port 0 means any. */
  readonly health: { readonly host: string; readonly port: number };
  /** Secrets of this process, which no log line, alert or tool result may contain. */
  readonly knownSecrets: readonly string[];
  /** Undefined if no traces are sent. */
  readonly telemetry?: TelemetrySettings | undefined;
}

/**
 * Reads the settings common to all services. `healthPort` names the service's own variable and the default. Throws
 * TerminalError naming the invalid variable.
 */
export function readServiceConfig(
  env: Environment,
  healthPort: { readonly name: string; readonly fallback: number },
): ServiceConfig {
  return {
    log: logSettings(env),
    health: { host: bindAddress(env), port: envPort(env, healthPort.name, healthPort.fallback) },
    knownSecrets: [...new Set([...knownSecrets(env), ...telemetrySecrets(env)])],
    telemetry: readTelemetrySettings(env),
  };
}

/** LOG_LEVEL and LOG_FORMAT. Throws TerminalError naming the invalid variable. */
export function logSettings(env: Environment): ServiceConfig["log"] {
  return {
    level: envChoice(env, "LOG_LEVEL", LOG_LEVELS, "info"),
    format: envChoice(env, "LOG_FORMAT", LOG_FORMATS, process.stdout.isTTY ? "pretty" : "json"),
  };
}

/** The interface that servers listen on; by default only this machine can connect. */
export function bindAddress(env: Environment): string {
  return envText(env, "BIND_ADDRESS", "127.0.0.1");
}

/**
 * The directory that holds tarsy.yaml, llm-providers.yaml and .env: CONFIG_DIR, else as `npm start` chooses one in the working
 * directory.
 */
export function configDirectory(env: Environment): string {
  const here = process.cwd();
  const named = envText(env, "CONFIG_DIR", "");
  return named === ""
    ? chooseConfigDirectory({ root: here, userDir: here, configDir: undefined, env }).path
    : named;
}

/** DATABASE_URL, or another variable with the URL of a database; required. Throws TerminalError naming the variable. */
export function databaseUrl(env: Environment, name = "DATABASE_URL"): string {
  const remedy =
    name === "DATABASE_URL"
      ? "set it to e.g. postgres://user:password@host:5432/tarsy, or use `npm start`, which brings its own"
      : "set it to e.g. postgres://postgres:password@host:5432/tarsy";
  const url = envRequired(env, name, remedy);
  const address = databaseAddress(url);
  if (typeof address !== "string") return url;
  // The value may hold a password, so it is not repeated.
  throw new TerminalError("invalid_environment", `environment variable ${name} ${address}`);
}

const NATS_PROTOCOLS = ["nats:", "tls:"];

/** NATS_URL, or a comma-separated list of the servers of one cluster; required. */
export function natsUrl(env: Environment): string {
  return envUrlList(
    env,
    "NATS_URL",
    NATS_PROTOCOLS,
    "set it to e.g. nats://host:4222, or use `npm start`, which brings its own",
  );
}

/** NATS_ADMIN_URL, with the user that may create streams; without it NATS_URL, whose one user then may do everything. */
export function natsAdminUrl(env: Environment): string {
  if (envText(env, "NATS_ADMIN_URL", "") === "") return natsUrl(env);
  return envUrlList(env, "NATS_ADMIN_URL", NATS_PROTOCOLS, "unset it to use NATS_URL");
}
