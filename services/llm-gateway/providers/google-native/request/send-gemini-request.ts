import type { GoogleGenAI } from "@google/genai";
import type { OpenedGeminiClient } from "../gemini-client.ts";
import { requestBody, sdkParameters, type GeminiRequest } from "./build-gemini-request.ts";
import { httpPost } from "../../http-post.ts";
import { receive } from "../../receive.ts";

/**
 * Sends one request, which the SDK addresses and signs, and returns the response body unread. The SDK's own SSE reader
 * loses events that begin with a comment, does not join data lines, buffers one event without a limit and costs several
 * times as much as ours. Follows no redirect, because the header with the key would go along. Throws
 * ResponseError for any status but 2xx, and the errors of Node's HTTP client; `signal` also aborts the body.
 */
export async function sendGeminiRequest(
  opened: Pick<OpenedGeminiClient, "client" | "template">,
  request: GeminiRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (opened.template === undefined) return sendBySdk(opened.client, request, signal);
  const { url, headers } = await opened.template(request.model);
  return receive(await httpPost(url, { headers, body: requestBody(request), signal }));
}

/** Lets the SDK make the whole request, and passes it on. */
async function sendBySdk(
  client: GoogleGenAI,
  request: GeminiRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  let body: AsyncIterable<Uint8Array> | undefined;
  const send: typeof fetch = async (input, init) => {
    const response = await httpPost(new URL(input instanceof Request ? input.url : input), {
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: typeof init?.body === "string" ? init.body : "",
      signal,
    });
    body = await receive(response);
    return new Response();
  };
  const parameters = sdkParameters(request);
  await client.models.generateContentStream({
    ...parameters,
    config: { ...parameters.config, httpOptions: { fetch: send } },
  });
  if (body === undefined) throw new Error("the SDK made no request");
  return body;
}
