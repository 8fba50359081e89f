import type { EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import type { EmbeddingProvider } from "#shared/contracts/embedding.ts";
import type { Embeddings, EmbedRequest } from "#shared/generated/llm/v1/llm.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Logger } from "#shared/service/logger.ts";
import { terminal } from "../errors/llm-error.ts";
import { baseUrl } from "../providers/base-url.ts";
import { apiKey } from "../providers/credential.ts";
import { translateGeminiError } from "../providers/google-native/response/translate-gemini-error.ts";
import { retryBeforeOutput, type RetryPolicy } from "../providers/retry-before-output.ts";
import type { EmbeddingApi, ReturnedVectors } from "./embedding-api.ts";
import { GOOGLE_EMBEDDINGS } from "./google-embeddings.ts";
import { OPENAI_EMBEDDINGS } from "./openai-embeddings.ts";
import { postJson } from "./post-json.ts";

const APIS: Readonly<Record<EmbeddingProvider, EmbeddingApi>> = {
  google: GOOGLE_EMBEDDINGS,
  openai: OPENAI_EMBEDDINGS,
};

interface EmbedOptions {
  readonly settings: EmbeddingSettings;
  /** Holds the key. */
  readonly env: Environment;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly log: Logger;
}

/**
 * Turns the texts of a call into vectors of length 1, at the address and with the key of the settings. Throws TerminalError or
 * RetryableError with one of LLM_ERROR_CODES, which never has the key, or the signal's reason.
 */
export async function embedTexts(call: EmbedRequest, options: EmbedOptions): Promise<Embeddings> {
  const { settings, env, retry: policy, signal, deadline, log } = options;
  const api = APIS[settings.provider];
  const key = settings.api_key_env === undefined ? undefined : apiKey(settings.api_key_env, env);
  const { path, headers, body } = api.request(call, key);
  const url = new URL(`${baseUrl(settings.base_url ?? "", api.url)}${path}`);
  const context = { credential: settings.api_key_env ?? "", secrets: key === undefined ? [] : [key] };
  const tryOnce = async function* () {
    try {
      yield api.read(await postJson(url, { headers, body, signal }));
    } catch (thrown) {
      signal.throwIfAborted();
      // OpenAI's error object has its message where Google's has it.
      throw translateGeminiError(thrown, context);
    }
  };
  for await (const returned of retryBeforeOutput(tryOnce, { policy, deadline, signal, log })) {
    return toEmbeddings(returned, call);
  }
  throw new Error("a call ended without vectors and without an error");
}

function toEmbeddings(
  { vectors, inputTokens }: ReturnedVectors,
  { texts, dimensions }: EmbedRequest,
): Embeddings {
  if (vectors.length !== texts.length) {
    throw terminal(
      "provider_error",
      `the provider returned ${vectors.length} vectors for ${texts.length} texts`,
    );
  }
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other !== undefined) {
    throw terminal(
      "invalid_request",
      `the provider returned vectors with ${other.length} dimensions instead of ${dimensions}: set defaults.memory.embedding.dimensions to what the model has`,
    );
  }
  return { vectors: vectors.map((vector) => ({ values: normalised(vector) })), inputTokens };
}

/** Models that shorten their vectors leave them at another length. A vector of zeros, which is near to nothing, stays. */
function normalised(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : vector.map(() => 0);
}
