import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { Environment } from "#shared/service/environment.ts";
import { coerceError, errorMessage, type RetryableError, type TerminalError } from "#shared/errors.ts";
import { retryable, terminal } from "../../../errors/llm-error.ts";
import { WAIT_ESTIMATE_MS } from "../../../errors/wait-estimate.ts";
import { baseUrl } from "../../base-url.ts";
import { apiKey, credential } from "../../credential.ts";
import { lruCached } from "../../lru-cache.ts";
import type { ProviderConfig } from "../../provider-config.ts";
import { bedrockRegion, bedrockUrl } from "../../bedrock-url.ts";
import { bedrockHandler } from "./bedrock-handler.ts";

interface OpenedBedrockClient {
  readonly client: BedrockRuntimeClient;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
  /** The variables with the credential, for messages. */
  readonly credential: string;
}

/** What a client signs its requests with. */
type BedrockKeys =
  | { readonly bearer: string }
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  | { readonly machine: true };

const MAX_CLIENTS = 32;

/**
 * Returns a function that opens the client for a call, with a Bedrock API key, access keys, or the machine's own
 * credentials if the entry says so. It throws TerminalError `credentials` or `invalid_request`, or RetryableError
 * `provider_error` if the machine's credentials cannot be fetched now.
 */
export function bedrockClients(env: Environment): (config: ProviderConfig) => Promise<OpenedBedrockClient> {
  // Finds and renews the credentials of the machine: profile, role, or instance.
  const machine = defaultProvider({});
  const clients = lruCached(
    MAX_CLIENTS,
    ({ keys, region, url }: { keys: BedrockKeys; region: string; url: string }) =>
      new BedrockRuntimeClient({ ...FIXED, region, endpoint: url, ...identity(keys, machine) }),
  );
  return async (config) => {
    const region = bedrockRegion(config);
    const url = baseUrl(config.baseUrl, bedrockUrl(region));
    const { keys, names } = keysOf(config, env);
    if ("machine" in keys) await machine().catch((error: unknown) => Promise.reject(machineError(error)));
    const secrets = Object.values(keys).filter((value) => typeof value === "string");
    return { client: clients({ keys, region, url }), secrets, credential: names };
  };
}

/** Every setting that the SDK would read from the environment or from files in the home directory. */
const FIXED: BedrockRuntimeClientConfig = {
  defaultsMode: "standard",
  maxAttempts: 1,
  retryMode: "standard",
  requestHandler: bedrockHandler,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "tarsy",
};

function identity(
  keys: BedrockKeys,
  machine: ReturnType<typeof defaultProvider>,
): BedrockRuntimeClientConfig {
  if ("bearer" in keys) return { token: { token: keys.bearer }, authSchemePreference: ["httpBearerAuth"] };
  return { credentials: "machine" in keys ? machine : keys, authSchemePreference: ["sigv4"] };
}

function keysOf(
  { apiKeyEnv, settings }: ProviderConfig,
  env: Environment,
): { keys: BedrockKeys; names: string } {
  if (apiKeyEnv !== "") return { keys: { bearer: apiKey(apiKeyEnv, env) }, names: apiKeyEnv };
  const { access_key_id_env: id, secret_access_key_env: secret, session_token_env: session } = settings;
  if (id !== undefined && secret !== undefined) {
    const sessionToken = session === undefined ? {} : { sessionToken: credential(session, env) };
    return {
      keys: { accessKeyId: apiKey(id, env), secretAccessKey: credential(secret, env), ...sessionToken },
      names: [id, secret, ...(session === undefined ? [] : [session])].join(", "),
    };
  }
  if (settings.machine_credentials === true) return { keys: { machine: true }, names: "this machine" };
  throw terminal(
    "credentials",
    "the provider names no credential: Bedrock needs api_key_env, access_key_id_env with secret_access_key_env, or machine_credentials: true",
  );
}

/** A network error is retryable; any other error means that there are none. */
function machineError(thrown: unknown): TerminalError | RetryableError {
  const error = coerceError(thrown);
  if ("code" in error && /^E[A-Z]+$/u.test(String(error.code))) {
    return retryable("provider_error", "the service with the machine's AWS credentials cannot be reached", {
      cause: error,
      estimateMs: WAIT_ESTIMATE_MS.unreachable,
    });
  }
  return terminal(
    "credentials",
    `this machine has no AWS credentials: ${errorMessage(error).slice(0, 200)}`,
    {
      cause: error,
    },
  );
}
