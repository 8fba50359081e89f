import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "#shared/listen.ts";

/** One request as it reached the fake provider. */
export interface GeminiRequest {
  /** e.g. /v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body. */
  readonly body: unknown;
  /** The client's port: requests on one connection have the same. */
  readonly remotePort: number | undefined;
  /** Resolves once the client has closed its side of the socket. */
  readonly closed: Promise<void>;
}

/** What a handler answers with; every call goes out at once. */
export interface GeminiReply {
  /** One streamed response, as a server-sent event. */
  chunk(response: object): void;
  /** Any bytes into the stream, for garbage and half messages. */
  raw(bytes: string | Uint8Array): void;
  /** A response of its own status and body instead of a stream, with Google's error form for an object. */
  fail(status: number, body: object | string, headers?: Record<string, string>): void;
  /** Resolves once everything sent so far has left for the client, or the client has gone. */
  drained(): Promise<void>;
  /** Ends the stream in good order. */
  end(): void;
  /** Cuts the connection. */
  reset(): void;
}

/** Plays one request; the answer stays open until it ends, fails or resets it. */
export type GeminiHandler = (reply: GeminiReply, request: GeminiRequest) => void | Promise<void>;

export interface GeminiServer extends AsyncDisposable {
  /** For `base_url`. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly GeminiRequest[];
  /** Resolves with the request of this index (from 0) once it has come. */
  request(index: number): Promise<GeminiRequest>;
}

/**
 * A fake of Gemini's streaming API on a free port of 127.0.0.1: `/v1beta/…` and `/v1/…`, `:streamGenerateContent`,
 * server-sent events. Request n is played by handler n, further ones by the last.
 */
export async function openGeminiServer(
  handlers: GeminiHandler | readonly GeminiHandler[],
): Promise<GeminiServer> {
  const queue: readonly GeminiHandler[] = typeof handlers === "function" ? [handlers] : handlers;
  const requests: GeminiRequest[] = [];
  const waiting = new Set<() => void>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? "";
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    response.once("close", resolve);
    const { headers, socket } = incoming;
    const { remotePort } = socket;
    const request = { path, headers, body: await readJson(incoming), remotePort, closed };
    const reply = openReply(response);
    if (!/^\/v1(?:beta)?\/models\/[^/:]+:streamGenerateContent\?alt=sse$/u.test(path)) {
      reply.fail(404, { error: { code: 404, message: `no such path: ${path}`, status: "NOT_FOUND" } });
      return;
    }
    const handler = queue[Math.min(requests.length, queue.length - 1)];
    requests.push(request);
    for (const wake of waiting) wake();
    await handler?.(reply, request);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) =>
      response.destroy(new Error("handler failed", { cause: error })),
    );
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    request: async (index) => {
      for (;;) {
        const found = requests[index];
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
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

function openReply(response: ServerResponse): GeminiReply {
  const write = (bytes: string | Uint8Array) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(bytes);
  };
  return {
    chunk: (value) => write(`data: ${JSON.stringify(value)}\r\n\r\n`),
    raw: write,
    fail: (status, body, headers = {}) => {
      const type = typeof body === "string" ? "text/html" : "application/json; charset=UTF-8";
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    },
    drained: async () => {
      const gone = new AbortController();
      const leave = () => gone.abort();
      response.once("close", leave);
      if (response.writableNeedDrain) {
        await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
      }
      response.off("close", leave);
    },
    end: () => void response.end(),
    reset: () => void response.socket?.resetAndDestroy(),
  };
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) if (Buffer.isBuffer(piece)) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}
