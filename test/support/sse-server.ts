import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "#shared/service/listen.ts";
import { refusedTools } from "./strict-providers/refused-tools.ts";

/** One request as it reached the fake provider. */
export interface SseRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it was sent: parsed, large numbers have lost their digits. */
  readonly text: string;
  /** The JSON body. */
  readonly body: unknown;
  /** The client's port: requests on one connection have the same. */
  readonly remotePort: number | undefined;
  /** Resolves once the client has closed its side of the socket. */
  readonly closed: Promise<void>;
}

/** The methods by which a handler answers. Every call writes immediately. */
export interface SseReply {
  /** One server-sent event without a name, its data as JSON. */
  data(value: object): void;
  /** One server-sent event named after the value's `type`, as Anthropic and OpenAI's Responses API send them. */
  event(value: { readonly type: string }): void;
  /** Writes any bytes, for garbage and incomplete messages. */
  raw(bytes: string | Uint8Array): void;
  /** Sends a response with this status and body instead of a stream. */
  fail(status: number, body: object | string, headers?: Record<string, string>): void;
  /** Resolves once everything written so far has been flushed to the socket, or the client has disconnected. */
  drained(): Promise<void>;
  /** Ends the stream normally. */
  end(): void;
  /** Closes the connection after what was written, without an end of the body. */
  cut(): void;
  /** Resets the connection. */
  reset(): void;
}

/** Answers one request. The answer stays open until the handler ends, fails or resets it. */
export type SseHandler = (reply: SseReply, request: SseRequest) => void | Promise<void>;

export interface SseServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly SseRequest[];
  /** Resolves with the request of this index (from 0) once it was received. */
  request(index: number): Promise<SseRequest>;
}

/**
 * A fake of any provider that streams server-sent events after a POST, on a free port of 127.0.0.1. Handler n
 * answers request n; the last handler answers all further ones. A request with tools that the API of its path would refuse
 * gets that API's 400 instead.
 */
export async function openSseServer(
  handlers: SseHandler | readonly SseHandler[],
  contentType = "text/event-stream",
): Promise<SseServer> {
  const queue: readonly SseHandler[] = typeof handlers === "function" ? [handlers] : handlers;
  const requests: SseRequest[] = [];
  const waiting = new Set<() => void>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    response.once("close", resolve);
    const { headers, socket, url: path = "" } = incoming;
    const { remotePort } = socket;
    const sent = await text(incoming);
    const body: unknown = JSON.parse(sent);
    const request = { path, headers, text: sent, body, remotePort, closed };
    const handler = queue[Math.min(requests.length, queue.length - 1)];
    requests.push(request);
    for (const wake of waiting) wake();
    const reply = openReply(response, contentType);
    const refusal = refusedTools(path, request.body);
    if (refusal === undefined) await handler?.(reply, request);
    else reply.fail(400, refusal);
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

function openReply(response: ServerResponse, contentType: string): SseReply {
  const write = (bytes: string | Uint8Array) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": contentType });
    response.write(bytes);
  };
  return {
    data: (value) => write(`data: ${JSON.stringify(value)}\n\n`),
    event: (value) => write(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`),
    raw: write,
    fail: (status, body, headers = {}) => {
      const type = typeof body === "string" ? "text/html" : "application/json";
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    },
    drained: () => drained(response),
    end: () => void response.end(),
    cut: () => void response.socket?.end(),
    reset: () => void response.socket?.resetAndDestroy(),
  };
}

async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  if (response.writableNeedDrain) {
    await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
  }
  response.off("close", leave);
}
