import { randomUUID } from "node:crypto";
import type { Environment } from "#shared/service/environment.ts";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import { normaliseConversation } from "../../conversation/normalise-conversation.ts";
import { toolNameDecoder } from "../../conversation/tool-names.ts";
import { brokenOff } from "../../errors/broken-off.ts";
import { isRepeatable, retryable, terminal } from "../../errors/llm-error.ts";
import type { ErrorContext } from "../../errors/provider-failure.ts";
import { readWrittenCalls } from "../../tool-calls/read-written-calls.ts";
import { SilenceError, guardStalls, type StallLimits } from "../guard-stalls.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { AnswerAside, withAside } from "./answer-aside.ts";
import type { PreparedChat } from "./models/chat-model.ts";
import { chatModelOpener, type OpenChatModel } from "./models/open-chat-model.ts";
import { LangchainChunkReader } from "./response/langchain-chunk-reader.ts";
import { parseLangchainChunk } from "./response/langchain-chunk.ts";
import { translateLangchainError } from "./response/translate-langchain-error.ts";

interface LangchainOptions {
  /** Holds the credentials that calls name. */
  readonly env: Environment;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
}

/** All types but Gemini and scripts: the servers with OpenAI's API through LangChain, Claude and Bedrock without it. */
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
  if (config.model === "") throw terminal("invalid_request", "the call names no model");
  const conversation = normaliseConversation(request.messages);
  const { chatModel, secrets, credential = config.apiKeyEnv || config.credentialsEnv } = await open(config);
  const context = { credential, secrets };
  const prepare = (plain: boolean) => chatModel.prepare({ conversation, tools: request.tools, plain });
  const limits = config.stall ?? stall;
  const attempt = () => readWrittenCalls(tryOnce(call, limits, prepare(plain), context), request);
  let plain = false;
  yield* retryBeforeOutput(
    async function* tryWithFallback() {
      try {
        yield* attempt();
      } catch (error) {
        if (plain || !isAboutReasoning(error)) throw error;
        log.warn("provider refused the reasoning in a request, retrying without it");
        plain = true;
        yield* attempt();
      }
    },
    { policy: retry, deadline, signal, log, retried: call.retried, isWorthTrying: isRepeatable },
  );
}

/**
 * True if the provider refused a request because it asks for reasoning (a model may not support it) or sends some back
 * (it may belong to another account). The conversation can continue without reasoning.
 */
function isAboutReasoning(error: unknown): boolean {
  return (
    error instanceof TerminalError &&
    error.code === "invalid_request" &&
    /thinking|reasoning|signature|encrypted/iu.test(error.message)
  );
}

async function* tryOnce(
  call: ProviderCall,
  stall: StallLimits,
  prepared: PreparedChat,
  context: ErrorContext,
): AsyncGenerator<Content> {
  // Leaving LangChain's loop early does not close its request, so every exit aborts it.
  const request = new AbortController();
  const abort = () => request.abort();
  call.signal.addEventListener("abort", abort);
  const { tools, messages } = call.request;
  const aside = new AnswerAside(call.answeredBy);
  const reader = new LangchainChunkReader({
    decodeToolName: toolNameDecoder(tools.map(({ name }) => name)),
    newId: () => `call_${randomUUID()}`,
    takenIds: messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)),
    state: prepared.state,
    aside,
  });
  let output = false;
  try {
    call.signal.throwIfAborted();
    const answer = withAside(aside, () => readAll(prepared, reader, request.signal));
    for await (const contents of guardStalls(answer, stall, () => aside.heardAt)) {
      for (const content of contents) {
        output = true;
        yield content;
      }
    }
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = translateLangchainError(thrown, context);
    if (!output) throw thrown instanceof SilenceError && call.config.baseUrl !== "" ? onlyOnce(error) : error;
    // What was charged of an answer that broke off.
    yield* reader.usage();
    if (error instanceof RetryableError) throw brokenOff(error);
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
 * The error of a server of the operator's own that was silent. It may still be busy with the prompt, and another request would
 * make it evaluate the prompt again, beside the first or after it.
 */
function onlyOnce(cause: Error): RetryableError {
  const hint = "a slow model needs longer timeouts in llm-providers.yaml";
  return retryable("timeout", `${cause.message}; ${hint}`, { cause, repeatable: false });
}

/**
 * Yields the contents of each chunk. Chunks before the first content are not yielded, so that the time before it counts
 * against the first-chunk limit: some models open the response and then think without sending anything.
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
