import { status, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import type { EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import { MAX_DIMENSIONS, MAX_EMBEDDED_CHARACTERS, MAX_EMBEDDED_TEXTS } from "#shared/contracts/embedding.ts";
import { CancelledError, coerceError } from "#shared/errors.ts";
import type { EmbedRequest, EmbedResponse, Embeddings } from "#shared/generated/llm/v1/llm.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { Logger } from "#shared/service/logger.ts";
import { embedTexts } from "../embeddings/embed-texts.ts";
import { retryable, terminal } from "../errors/llm-error.ts";
import type { CallRecord } from "../gateway-metrics.ts";
import type { RetryPolicy } from "../providers/retry-before-output.ts";
import { toErrorInfo } from "./to-error-info.ts";

/** The parts that answer calls for vectors. */
export interface EmbeddingOptions {
  /** The gateway's own; undefined if the configuration has none. */
  readonly settings: EmbeddingSettings | undefined;
  readonly credentials: Environment;
  readonly retry: RetryPolicy;
}

interface HandleEmbedOptions extends EmbeddingOptions {
  /** The time that a call without a deadline may take. */
  readonly callTimeoutMs: number;
  /** Aborts when the stop grace is over. */
  readonly stopping: AbortSignal;
  readonly record: CallRecord;
  readonly log: Logger;
}

/** Handles one Embed call; an error of the provider or of the request is part of the response. Never rejects. */
export async function handleEmbed(
  call: ServerUnaryCall<EmbedRequest, EmbedResponse>,
  answer: sendUnaryData<EmbedResponse>,
  options: HandleEmbedOptions,
): Promise<void> {
  const { record, stopping, log, callTimeoutMs } = options;
  const caller = new AbortController();
  const cancelled = () =>
    caller.abort(new CancelledError("user", "the caller cancelled or its deadline passed"));
  call.on("cancelled", cancelled);
  const timeout = AbortSignal.timeout(callTimeoutMs);
  const signal = AbortSignal.any([caller.signal, stopping, timeout]);
  try {
    const embeddings = await embed(call, signal, options);
    record.usage({ inputTokens: embeddings.inputTokens, outputTokens: 0, thinkingTokens: 0, totalTokens: 0 });
    record.end("ok");
    answer(null, { outcome: { $case: "embeddings", value: embeddings } });
  } catch (thrown) {
    if (caller.signal.aborted) {
      record.end("cancelled");
      answer({ code: status.CANCELLED });
      return;
    }
    const reason = stopping.aborted
      ? retryable("overloaded", "the LLM gateway is stopping: call again")
      : timeout.aborted
        ? retryable("timeout", `the LLM gateway ended the call after ${callTimeoutMs / 1_000} s`)
        : thrown;
    const error = toErrorInfo(reason);
    record.end(error.code);
    if (error.code === "internal") log.error({ err: coerceError(thrown) }, "unexpected error in a call");
    else log.info({ code: error.code, error: error.message }, "embedding failed");
    answer(null, { outcome: { $case: "error", value: error } });
  } finally {
    call.off("cancelled", cancelled);
  }
}

async function embed(
  call: ServerUnaryCall<EmbedRequest, EmbedResponse>,
  signal: AbortSignal,
  { settings, credentials: env, retry, log, callTimeoutMs }: HandleEmbedOptions,
): Promise<Embeddings> {
  const { request } = call;
  const { provider, texts, dimensions, model } = request;
  if (settings === undefined) {
    throw terminal(
      "unknown_provider",
      "the LLM gateway has no defaults.memory.embedding: add it to its tarsy.yaml and restart it",
    );
  }
  if (settings.provider !== provider) {
    throw terminal(
      "changed_provider",
      `defaults.memory.embedding is of provider ${settings.provider} in the LLM gateway, but the session was created with ${JSON.stringify(provider.slice(0, 100))}`,
    );
  }
  if (model === "") throw terminal("invalid_request", "model is missing");
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    throw terminal("invalid_request", `dimensions must be from 1 to ${MAX_DIMENSIONS}, got ${dimensions}`);
  }
  if (texts.length < 1 || texts.length > MAX_EMBEDDED_TEXTS) {
    throw terminal("invalid_request", `texts must be 1 to ${MAX_EMBEDDED_TEXTS}, got ${texts.length}`);
  }
  const long = texts.findIndex(({ text }) => text.length > MAX_EMBEDDED_CHARACTERS);
  if (long !== -1) {
    throw terminal("invalid_request", `texts[${long}] has more than ${MAX_EMBEDDED_CHARACTERS} characters`);
  }
  const given = Number(call.getDeadline());
  const deadline = Number.isFinite(given) ? given : Date.now() + callTimeoutMs;
  return embedTexts(request, { settings, env, retry, signal, deadline, log });
}
