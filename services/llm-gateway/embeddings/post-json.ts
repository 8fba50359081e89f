import { isWebPage, webPageError } from "../errors/web-page.ts";
import { httpPost } from "../providers/http-post.ts";
import { receive } from "../providers/receive.ts";
import { retryable } from "../errors/llm-error.ts";

/** The limit of an answer: a few times the largest. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Sends a JSON body and resolves with that of the answer. Follows no redirect. Throws ResponseError for any status but 2xx, an
 * error with an LLM error code for an answer that is no JSON, and the errors of Node's HTTP client; `signal` aborts the call.
 */
export async function postJson(
  url: URL,
  {
    headers,
    body,
    signal,
  }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
    readonly signal: AbortSignal;
  },
): Promise<unknown> {
  const sent = httpPost(url, {
    headers: { ...headers, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  const text = await readBody(await receive(await sent), MAX_BYTES);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    if (isWebPage(text)) throw webPageError(text);
    throw retryable("provider_error", "the provider's answer is not JSON", { cause });
  }
}

async function readBody(response: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let left = maxBytes;
  for await (const piece of response) {
    pieces.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}
