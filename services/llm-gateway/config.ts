import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { envInteger, envPort, envText, type Environment } from "#shared/environment.ts";
import {
  bindAddress,
  configDirectory,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service-config.ts";
import type { StallLimits } from "./providers/guard-stalls.ts";
import type { RetryPolicy } from "./providers/retry-before-output.ts";
import { withholdVariables } from "./withhold-variables.ts";

export interface GatewayConfig extends ServiceConfig {
  readonly grpc: { readonly host: string; readonly port: number };
  /** Holds the scripts of scripted providers. */
  readonly configDir: string;
  /** Credentials are looked up here by name: `<CONFIG_DIR>/.env` under the real environment. */
  readonly credentials: Environment;
  /** Names of variables that the providers' SDKs may read; all others that they know are withheld from them. */
  readonly sdkVariables: readonly string[];
  readonly maxMessageBytes: number;
  readonly maxOutputBytes: number;
  readonly stopGraceMs: number;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Reads the environment and `<CONFIG_DIR>/.env`. Throws TerminalError naming the variable that is wrong. */
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
 * Takes from this process's environment what the SDKs are not to read; to be called once, after loadConfig and before
 * a provider is loaded. Returns the names of variables that an operator may miss.
 */
export function withholdFromSdks({ sdkVariables }: Pick<GatewayConfig, "sdkVariables">): string[] {
  return withholdVariables(process.env, sdkVariables);
}
