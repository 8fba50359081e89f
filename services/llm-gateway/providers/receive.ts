import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";
import { ResponseError } from "./response-error.ts";

/** In code units; an error body without an end must not fill the memory. */
const MAX_ERROR_LENGTH = 64 * 1024;

/** The body of a response, decompressed and unread. Throws ResponseError for any status but 2xx. */
export async function receive(response: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 299) throw await readError(status, response);
  return decompressed(response);
}

/** Decompresses the body: the request asks for no compression, but some proxies compress anyway. */
function decompressed(response: IncomingMessage): AsyncIterable<Uint8Array> {
  switch (response.headers["content-encoding"]?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
    case "deflate":
      return pipeline(response, createUnzip({ flush: constants.Z_SYNC_FLUSH }), () => undefined);
    case "br":
      return pipeline(response, createBrotliDecompress(), () => undefined);
    default:
      return response;
  }
}

async function readError(status: number, response: IncomingMessage): Promise<ResponseError> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of decompressed(response)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ERROR_LENGTH) break;
  }
  return new ResponseError(status, text, response.headers);
}
