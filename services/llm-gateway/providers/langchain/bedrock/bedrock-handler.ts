import type { IncomingMessage } from "node:http";
import { httpPost } from "../../http-post.ts";
import { receive } from "../../receive.ts";
import { currentAside } from "../answer-aside.ts";
import { boundFrames } from "./bound-frames.ts";

/** What the SDK asks its HTTP client to send, and what it wants back. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A few times the largest event, so that only garbage exceeds it. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/**
 * The HTTP client of Bedrock's SDK: Node's own, as for Gemini. The SDK's would use HTTP/2, which proxies may not speak.
 * Throws ResponseError for any status but 2xx, the errors of Node's client, and what boundFrames throws; aborting the
 * SDK's signal closes the socket.
 */
export const bedrockHandler = {
  handle: async (
    request: SdkRequest,
    options: { readonly abortSignal?: unknown } = {},
  ): Promise<{ response: SdkResponse }> => {
    const { protocol, hostname, port, path, headers, body } = request;
    const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
    const aside = currentAside();
    const response = await httpPost(url, {
      headers,
      body: plainBody(body),
      signal: options.abortSignal instanceof AbortSignal ? options.abortSignal : new AbortController().signal,
    });
    const received = await receive(response);
    return {
      response: {
        statusCode: response.statusCode ?? 0,
        headers: textHeaders(response),
        body: boundFrames(received, MAX_FRAME_BYTES, () => aside.heard()),
      },
    };
  },
};

/** The SDK's own kind of bytes warns on the console when it is read as anything else. */
function plainBody(body: unknown): string | Uint8Array {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return typeof body === "string" ? body : "";
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
