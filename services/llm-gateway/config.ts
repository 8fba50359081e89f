import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import type { EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import { loadEmbedding, loadLlmProviders } from "#shared/agent-config/load-llm-providers.ts";
import { credentialVariables } from "#shared/agent-config/provider-keys.ts";
import {
  envInteger,
  envPort,
  envText,
  type Environment,
  secretVariable,
} from "#shared/service/environment.ts";
import { acceptedGatewayTokens } from "#shared/service/gateway-token.ts";
import { llmTries } from "#shared/service/llm-tries.ts";
import {
  bindAddress,
  configDirectory,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import type { CallLimits } from "./grpc/call-budget.ts";
import { MACHINE_IDENTITY_VARIABLES } from "./providers/langchain/azure/token-request.ts";
import type { ProviderSettings } from "./providers/load-providers.ts";
import type { ConfiguredProviders } from "./providers/provider-config.ts";
import type { RecorderSettings } from "./recordings/open-recorder.ts";

export interface GatewayConfig extends ServiceConfig, ProviderSettings {
  readonly grpc: { readonly host: string; readonly port: number };
  /** The tokens that callers may use. */
  readonly tokens: readonly string[];
  /** The providers that calls may name. */
  readonly providers: ConfiguredProviders;
  /** The model that turns texts into vectors; undefined if the configuration has none. */
  readonly embedding: EmbeddingSettings | undefined;
  /** Possible mistakes in the configuration of the providers. */
  readonly warnings: readonly ConfigProblem[];
  readonly limits: CallLimits;
  /** The time that a call without a deadline may take. */
  readonly callTimeoutMs: number;
  /** Variables that the providers' SDKs may read; every other variable they know is removed before they load. */
  readonly sdkVariables: readonly string[];
  /** The recorder of exchanges with providers; undefined to record none. */
  readonly recordings: RecorderSettings | undefined;
  readonly maxMessageBytes: number;
  readonly maxOutputBytes: number;
  readonly stopGraceMs: number;
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Reads the environment, over `<CONFIG_DIR>/.env`, the providers in `<CONFIG_DIR>/llm-providers.yaml`, and
 * `defaults.memory.embedding` of `<CONFIG_DIR>/tarsy.yaml`. Throws TerminalError naming what is wrong.
 */
export async function loadGatewayConfig(real: Environment): Promise<GatewayConfig> {
  const configDir = configDirectory(real);
  const env = readConfigEnvironment(configDir, real);
  const tokens = acceptedGatewayTokens(env);
  const [{ providers, warnings }, embedding] = await Promise.all([
    loadLlmProviders({ configDir, env }),
    loadEmbedding({ configDir, env }),
  ]);
  return Object.freeze({
    ...readServiceConfig(env, { name: "LLM_GATEWAY_HEALTH_PORT", fallback: 8092 }),
    grpc: { host: bindAddress(env), port: envPort(env, "LLM_GATEWAY_PORT", 50_051) },
    tokens,
    providers,
    embedding,
    warnings,
    limits: {
      calls: envInteger(env, "LLM_MAX_RUNNING_CALLS", { fallback: 2_000, min: 1, max: 100_000 }),
      bytes: envInteger(env, "LLM_MAX_BYTES_IN_FLIGHT", { fallback: 48 * MIB, min: MIB, max: 16_384 * MIB }),
    },
    callTimeoutMs: envInteger(env, "LLM_CALL_TIMEOUT_MS", { fallback: 600_000, min: 1, max: 24 * HOUR_MS }),
    configDir,
    credentials: { ...credentialsOf(providers, env), ...credentialOf(embedding, env) },
    sdkVariables: envText(env, "LLM_SDK_VARIABLES", "")
      .split(",")
      .map((name) => name.trim()),
    recordings: recorderSettings(env),
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
      tries: llmTries(env),
      baseDelayMs: envInteger(env, "LLM_RETRY_DELAY_MS", { fallback: 1_000, min: 0, max: 60_000 }),
      maxDelayMs: envInteger(env, "LLM_RETRY_MAX_DELAY_MS", { fallback: 30_000, min: 0, max: HOUR_MS }),
    },
  });
}

function recorderSettings(env: Environment): RecorderSettings | undefined {
  const dir = envText(env, "LLM_RECORDINGS_DIR", "");
  if (dir === "") return undefined;
  return {
    dir,
    maxFiles: envInteger(env, "LLM_RECORDINGS_MAX_FILES", { fallback: 200, min: 1, max: 10_000 }),
    maxBytes: envInteger(env, "LLM_RECORDING_MAX_BYTES", { fallback: MIB, min: 1_024, max: 16 * MIB }),
  };
}

/**
 * The variables that the providers name as credentials, and those of the machine's identity in Azure if an entry asks for
 * it; no other.
 */
function credentialsOf(providers: ReadonlyMap<string, LlmProvider>, env: Environment): Environment {
  const names = [...providers.values()].flatMap(credentialVariables);
  const secrets = names.map((name): [string, string] => [name, secretVariable(env, name)]);
  const isMachine = [...providers.values()].some(
    ({ type, machine_credentials: own }) => type === "azure" && own === true,
  );
  const machine = isMachine ? MACHINE_IDENTITY_VARIABLES.filter((name) => (env[name] ?? "") !== "") : [];
  return { ...Object.fromEntries(secrets), ...Object.fromEntries(machine.map((name) => [name, env[name]])) };
}

function credentialOf(embedding: EmbeddingSettings | undefined, env: Environment): Environment {
  const name = embedding?.api_key_env;
  return name === undefined ? {} : { [name]: secretVariable(env, name) };
}

/**
 * Removes the variables that the SDKs must not read from this process's environment. Call it once, after loadGatewayConfig
 * and before the first provider is loaded. Returns the removed names that are worth a warning.
 */
export function withholdFromSdks({ sdkVariables }: Pick<GatewayConfig, "sdkVariables">): string[] {
  return withholdVariables(process.env, sdkVariables);
}

/**
 * Variables that the SDKs read by themselves. Some send conversations elsewhere (LangSmith tracing), add
 * headers or enable output; the others set keys and addresses, which only a call's own settings may set.
 */
const READ_BY_SDKS =
  /^(?:LANGSMITH|LANGCHAIN|LC|OPENAI|AZURE_OPENAI|GOOGLE_GENAI|GEMINI)_|^GOOGLE_(?:API_KEY|GEMINI_BASE_URL|VERTEX_BASE_URL|SDK_NODE_LOGGING)$|^_X_AMZN_TRACE_ID$|^AWS_BEARER_TOKEN_|^AWS_ENDPOINT_URL(?:_BEDROCK_RUNTIME)?$/u;
/** Such variables usually hold credentials that the gateway itself looks up, so withholding them needs no warning. */
const OWN_USE = /_(?:API_KEY|TOKEN)$/u;

/**
 * Removes every variable that the SDKs would read from `env`, except those in `allowed`. Call it after the
 * configuration was read and before an SDK is loaded. Returns the removed names that are worth a warning, sorted.
 */
export function withholdVariables(
  env: Record<string, string | undefined>,
  allowed: readonly string[],
): string[] {
  const withheld = Object.keys(env).filter((name) => READ_BY_SDKS.test(name) && !allowed.includes(name));
  for (const name of withheld) delete env[name];
  return withheld.filter((name) => !OWN_USE.test(name)).toSorted();
}
