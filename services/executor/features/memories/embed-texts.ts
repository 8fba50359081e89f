import { Metadata } from "@grpc/grpc-js";
import type { Counter } from "prom-client";
import type { ResolvedEmbedding } from "#shared/contracts/embedding.ts";
import { MAX_EMBEDDED_CHARACTERS } from "#shared/contracts/embedding.ts";
import { errorMessage } from "#shared/errors.ts";
import type { EmbedResponse, EmbedText, LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { SessionLlm, Signals } from "../../core/session-parts.ts";
import type { Logger } from "#shared/service/logger.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { traceCarrier } from "#shared/telemetry/tracing.ts";

/** An agent waits for it at its start; words alone are better than a long wait. */
const TIMEOUT_MS = 10_000;

/** The session on whose behalf the call is made. */
export interface Embedder {
  readonly sessionId: string;
  readonly llm: Pick<SessionLlm, "client">;
  readonly log: Logger;
  readonly signals: Pick<Signals, "cancelled">;
  readonly metrics: { readonly embeddings: Counter<"outcome"> };
}

/**
 * Has the llm-gateway turn texts, which are cut to what models read, into vectors of length 1, in their order. Null if it cannot: then
 * memories are found by their words, and log and metric say so. Throws the signal's reason.
 */
export async function embedTexts(
  session: Embedder,
  { provider, model, dimensions }: ResolvedEmbedding,
  texts: readonly EmbedText[],
): Promise<readonly (readonly number[])[] | null> {
  const { log, metrics, sessionId, signals } = session;
  if (texts.length === 0) return [];
  const cut = texts.map(({ text, isQuery }) => ({
    text: text.slice(0, safeCut(text, MAX_EMBEDDED_CHARACTERS)),
    isQuery,
  }));
  const failed = (code: string, error: string) => {
    metrics.embeddings.inc({ outcome: "failed" });
    log.warn({ code, error }, "embedding failed: memories are found by their words");
    return null;
  };
  try {
    const { outcome } = await call(session, { sessionId, provider, model, dimensions, texts: cut });
    if (outcome?.$case === "error") return failed(outcome.value.code, outcome.value.message);
    const vectors = outcome?.value.vectors.map(({ values }) => values) ?? [];
    if (vectors.length !== texts.length || vectors.some(({ length }) => length !== dimensions)) {
      return failed("malformed", "the LLM gateway returned other vectors than it was asked for");
    }
    metrics.embeddings.inc({ outcome: "ok" });
    return vectors;
  } catch (error) {
    signals.cancelled.throwIfAborted();
    return failed("unreachable", errorMessage(error));
  }
}

async function call(
  { llm, signals: { cancelled } }: Embedder,
  request: Parameters<LLMServiceClient["embed"]>[0],
): Promise<EmbedResponse> {
  cancelled.throwIfAborted();
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(traceCarrier() ?? {})) metadata.set(name, value);
  const settled = new AbortController();
  try {
    return await new Promise<EmbedResponse>((resolve, reject) => {
      const running = llm.client.embed(
        request,
        metadata,
        { deadline: Date.now() + TIMEOUT_MS },
        (error, response) => {
          if (error) reject(error);
          else resolve(response);
        },
      );
      cancelled.addEventListener("abort", () => running.cancel(), { signal: settled.signal });
    });
  } finally {
    settled.abort();
  }
}
