import { randomUUID } from "node:crypto";
import type { Environment } from "#shared/environment.ts";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { toolNameDecoder } from "../../conversation/tool-names.ts";
import { guardStalls, type StallLimits } from "../guard-stalls.ts";
import { retryable, terminal } from "../../errors/llm-error.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { normaliseConversation } from "../../conversation/normalise-conversation.ts";
import { LangchainChunkReader } from "./response/langchain-chunk-reader.ts";
import { translateLangchainError, type ErrorContext } from "./response/translate-langchain-error.ts";
import { parseLangchainChunk } from "./response/langchain-chunk.ts";
import { chatModelOpener, type OpenChatModel } from "./models/open-chat-model.ts";
import type { PreparedChat } from "./models/chat-model.ts";

export interface LangchainOptions {
  /** Where credentials are looked up by the name a call gives. */
  readonly env: Environment;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
}

/** OpenAI, Anthropic, xAI and Claude on Vertex AI through LangChain. The provider it returns throws as `Provider` says. */
export function langchainProvider(options: LangchainOptions): Provider {
  const open = chatModelOpener(options.env);
  return (call) => generate(call, options, open);
}

async function* generate(
  call: ProviderCall,
  { stall, retry }: LangchainOptions,
  open: OpenChatModel,
): AsyncGenerator<Content> {
  const { config, request, signal, deadline, log } = call;
  if (config.model === "") throw terminal("invalid_request", "llm_config.model is empty: name a model");
  const conversation = normaliseConversation(request.messages);
  const { backend, secrets } = await open(config);
  const context = { credential: credentialName(config), secrets };
  const prepare = (plain: boolean) => backend.prepare({ conversation, tools: request.tools, plain });
  let plain = false;
  yield* retryBeforeOutput(
    async function* attempts() {
      try {
        yield* attempt(call, stall, prepare(plain), context);
      } catch (error) {
        if (plain || !isAboutReasoning(error)) throw error;
        log.warn("the provider refused the reasoning in a request: sending it without");
        plain = true;
        yield* attempt(call, stall, prepare(plain), context);
      }
    },
    { policy: retry, deadline, signal, log },
  );
}

function credentialName({ apiKeyEnv, credentialsEnv }: LLMConfig): string {
  const name = apiKeyEnv === "" ? credentialsEnv : apiKeyEnv;
  return name === "" ? "a call without a key" : `the credential in ${name}`;
}

/**
 * Whether a request was refused for asking for reasoning, which a model may not know, or for sending some back, which
 * may be another account's: neither must end a conversation that works without.
 */
function isAboutReasoning(error: unknown): boolean {
  return (
    error instanceof TerminalError &&
    error.code === "invalid_request" &&
    /thinking|reasoning|signature|encrypted/iu.test(error.message)
  );
}

async function* attempt(
  call: ProviderCall,
  stall: StallLimits,
  prepared: PreparedChat,
  context: ErrorContext,
): AsyncGenerator<Content> {
  // Leaving LangChain's loop does not close its request, so that every way out of here aborts it.
  const request = new AbortController();
  const abort = () => request.abort();
  call.signal.addEventListener("abort", abort);
  const { tools, messages } = call.request;
  const reader = new LangchainChunkReader({
    decodeToolName: toolNameDecoder(tools.map(({ name }) => name)),
    newId: () => `call_${randomUUID()}`,
    takenIds: messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)),
    state: prepared.state,
  });
  let output = false;
  try {
    call.signal.throwIfAborted();
    for await (const contents of guardStalls(readAll(prepared, reader, request.signal), stall)) {
      for (const content of contents) {
        output = true;
        yield content;
      }
    }
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = translateLangchainError(thrown, context);
    if (!output) throw error;
    if (error instanceof RetryableError) {
      throw retryable("partial_stream_error", `the answer broke off: ${error.message}`, { cause: error });
    }
    throw error.code === "invalid_request"
      ? terminal("provider_error", error.message, { cause: error })
      : error;
  } finally {
    call.signal.removeEventListener("abort", abort);
    request.abort();
  }
  yield* reader.finish();
}

/**
 * What each chunk holds. Those before the first content stay unsaid, so that the wait for a model that thinks in
 * silence, behind the opening of its stream, counts as the wait for the first chunk.
 */
async function* readAll(
  prepared: PreparedChat,
  reader: LangchainChunkReader,
  signal: AbortSignal,
): AsyncGenerator<Content[]> {
  for await (const chunk of await prepared.stream(signal)) {
    const contents = reader.read(parseLangchainChunk(chunk));
    if (reader.begun) yield contents;
  }
}
