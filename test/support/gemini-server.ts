import { openSseServer, type SseReply, type SseRequest, type SseServer } from "./sse-server.ts";

/** The methods by which a handler answers. */
export interface GeminiReply extends SseReply {
  /** One streamed response, as Gemini frames it. */
  chunk(response: object): void;
}

/** Answers one request. The answer stays open until the handler ends, fails or resets it. */
export type GeminiHandler = (reply: GeminiReply, request: SseRequest) => void | Promise<void>;

const PATH = /^\/v1(?:beta)?\/models\/[^/:]+:streamGenerateContent\?alt=sse$/u;

/**
 * A fake of Gemini's streaming API on a free port of 127.0.0.1: `/v1beta/…` and `/v1/…`, `:streamGenerateContent`,
 * server-sent events; 404 for any other path. Handler n answers request n; the last handler answers all further ones.
 * Its `url` is the value for `base_url`.
 */
export function openGeminiServer(handlers: GeminiHandler | readonly GeminiHandler[]): Promise<SseServer> {
  const queue = typeof handlers === "function" ? [handlers] : handlers;
  return openSseServer(
    queue.map((handler) => (reply, request) => {
      if (PATH.test(request.path)) {
        return handler({ ...reply, chunk: (value) => reply.raw(frame(value)) }, request);
      }
      const message = `no such path: ${request.path}`;
      reply.fail(404, { error: { code: 404, message, status: "NOT_FOUND" } });
      return undefined;
    }),
  );
}

function frame(response: object): string {
  return `data: ${JSON.stringify(response)}\r\n\r\n`;
}

/** A streamed response with these parts and, for the last one of an answer, its finish reason and usage. */
export function geminiChunk(
  parts: readonly object[],
  rest: { finishReason?: string; usageMetadata?: object; groundingMetadata?: object } = {},
): object {
  const { usageMetadata, ...candidate } = rest;
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
    modelVersion: "fake-gemini",
  };
}
