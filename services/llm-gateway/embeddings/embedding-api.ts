import type { EmbedRequest } from "#shared/generated/llm/v1/llm.ts";

/** One request for vectors, as an API takes it. */
interface EmbeddingHttpRequest {
  /** Relative to the API's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The vectors of an answer, in the order of the texts, as the API returned them. */
export interface ReturnedVectors {
  readonly vectors: readonly (readonly number[])[];
  /** 0 if the API does not say. */
  readonly inputTokens: number;
}

/** An API that turns texts into vectors. */
export interface EmbeddingApi {
  /** Has no slash at its end. */
  readonly url: string;
  /** The request; `key` is undefined if none is sent. */
  readonly request: (
    call: Pick<EmbedRequest, "model" | "dimensions" | "texts">,
    key: string | undefined,
  ) => EmbeddingHttpRequest;
  /** Reads the body of an answer. Throws TerminalError `malformed`. */
  readonly read: (body: unknown) => ReturnedVectors;
}
