import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { ResponseError } from "./response-error.ts";

/** More of an error than this nobody reads, and a broken provider could send it without end. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends one request through the SDK, which builds and signs it, and returns the body of the answer unread: the SDK's
 * own reader loses events that begin with a comment, joins no data lines, collects one event without a limit and costs
 * several times what reading costs here. Follows no redirect, because the key travels in a header that would go along.
 * Throws ResponseError for an unsuccessful status, and what fetch throws; `signal` also ends the body.
 */
export async function openStream(
  client: GoogleGenAI,
  parameters: GenerateContentParameters,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  let body: AsyncIterable<Uint8Array> | null = null;
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    if (!response.ok) throw await refused(response);
    ({ body } = response);
    return new Response();
  };
  await client.models.generateContentStream({
    ...parameters,
    config: { ...parameters.config, abortSignal: signal, httpOptions: { fetch: send } },
  });
  return body ?? nothing();
}

async function refused(response: Response): Promise<ResponseError> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> = response.body ?? nothing();
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.length;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return new ResponseError(response.status, text, retryAfterMs(response.headers.get("retry-after")));
}

function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/u.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // a response without a body has no events
}
