import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envInteger, envPort, envText, type Environment } from "#shared/service/environment.ts";
import {
  bindAddress,
  configDirectory,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import type { ProviderSettings } from "./providers/load-providers.ts";
import { withholdVariables } from "./withhold-variables.ts";

interface GatewayConfig extends ServiceConfig, ProviderSettings {
  readonly grpc: { readonly host: string; readonly port: number };
  /** Variables that the providers' SDKs may read; every other variable they know is removed before they load. */
  readonly sdkVariables: readonly string[];
  readonly maxMessageBytes: number;
  readonly maxOutputBytes: number;
  readonly stopGraceMs: number;
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Reads the environment, over `<CONFIG_DIR>/.env`. Throws TerminalError naming the invalid variable. */
export function loadConfig(real: Environment): GatewayConfig {
  const configDir = configDirectory(real);
  const env = readConfigEnvironment(configDir, real);
  return Object.freeze({
    ...readServiceConfig(env, { name: "LLM_GATEWAY_HEALTH_PORT", fallback: 8092 }),
    grpc: { host: bindAddress(env), port: envPort(env, "LLM_GATEWAY_PORT", 50_051) },
    configDir,
    credentials: env,
    sdkVariables: envText(env, "LLM_SDK_VARIABLES", "")
      .split(",")
      .map((name) => name.trim()),
    maxMessageBytes: envInteger(env, "LLM_MAX_MESSAGE_BYTES", {
      fallback: 16 * MIB,
      min: MIB,
      max: 256 * MIB,
    }),
    maxOutputBytes: envInteger(env, "LLM_MAX_OUTPUT_BYTES", { fallback: MIB, min: 1_024, max: 64 * MIB }),
    stopGraceMs: envInteger(env, "LLM_STOP_GRACE_MS", { fallback: 10_000, min: 0, max: 15_000 }),
    stall: {
      firstChunkMs: envInteger(env, "LLM_FIRST_CHUNK_TIMEOUT_MS", { fallback: 60_000, min: 1, max: HOUR_MS }),
      betweenChunksMs: envInteger(env, "LLM_STALL_TIMEOUT_MS", { fallback: 30_000, min: 1, max: HOUR_MS }),
    },
    retry: {
      tries: envInteger(env, "LLM_TRIES", { fallback: 3, min: 1, max: 10 }),
      baseDelayMs: envInteger(env, "LLM_RETRY_DELAY_MS", { fallback: 1_000, min: 0, max: 60_000 }),
      maxDelayMs: envInteger(env, "LLM_RETRY_MAX_DELAY_MS", { fallback: 30_000, min: 0, max: HOUR_MS }),
    },
  });
}

/**
 * Removes the variables that the SDKs must not read from this process's environment. Call it once, after loadConfig
 * and before the first provider is loaded. Returns the removed names that are worth a warning.
 */
export function withholdFromSdks({ sdkVariables }: Pick<GatewayConfig, "sdkVariables">): string[] {
  return withholdVariables(process.env, sdkVariables);
}
