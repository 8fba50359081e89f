import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";
import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { parseRetryAfter } from "../../../errors/parse-retry-after.ts";
import { httpPost } from "./http-post.ts";
import { GeminiResponseError } from "../response/gemini-response-error.ts";

/** More of an error than this nobody reads, and a broken provider could send it without end. */
const MAX_ERROR_LENGTH = 64 * 1024;

/**
 * Sends one request through the SDK, which builds and signs it, and returns the body of the answer unread: the SDK's
 * own reader loses events that begin with a comment, joins no data lines, collects one event without a limit and costs
 * several times what reading costs here. Follows no redirect, because the key travels in a header that would go along.
 * Throws GeminiResponseError for any status but 2xx, and what Node's HTTP client throws; `signal` also ends the body.
 */
export async function sendGeminiRequest(
  client: GoogleGenAI,
  parameters: GenerateContentParameters,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  let answer: IncomingMessage | undefined;
  const send: typeof fetch = async (input, init) => {
    answer = await httpPost(new URL(input instanceof Request ? input.url : input), {
      headers: new Headers(init?.headers),
      body: typeof init?.body === "string" ? init.body : "",
      signal,
    });
    const { statusCode: status = 0 } = answer;
    if (status < 200 || status > 299) throw await refused(status, answer);
    return new Response();
  };
  await client.models.generateContentStream({
    ...parameters,
    config: { ...parameters.config, httpOptions: { fetch: send } },
  });
  if (answer === undefined) throw new Error("the SDK made no request");
  return unpacked(answer);
}

/** Nobody asked for compression, but some proxies compress whatever does not forbid it. */
function unpacked(answer: IncomingMessage): AsyncIterable<Uint8Array> {
  switch (answer.headers["content-encoding"]?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
    case "deflate":
      return pipeline(answer, createUnzip({ flush: constants.Z_SYNC_FLUSH }), () => undefined);
    case "br":
      return pipeline(answer, createBrotliDecompress(), () => undefined);
    default:
      return answer;
  }
}

async function refused(status: number, answer: IncomingMessage): Promise<GeminiResponseError> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of unpacked(answer)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ERROR_LENGTH) break;
  }
  return new GeminiResponseError(status, text, parseRetryAfter(answer.headers["retry-after"]));
}
