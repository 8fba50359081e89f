import type { IncomingMessage, ServerResponse } from "node:http";
import { getRawBody } from "raw-body";
import { errorMessage } from "#shared/errors.ts";
import { parseJson } from "#shared/parse-json.ts";
import type { BodyBudget } from "./body-budget.ts";
import { RequestError, abbreviate } from "./request-error.ts";
import { noteUnknown } from "./unknown-members.ts";

/** Alert data of 1 MiB can take 6 MiB as JSON: a control character is escaped to six bytes. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * Reads and decodes a JSON body; an empty body counts as `{}`. Invalid UTF-8 becomes U+FFFD, because an alert with a
 * broken byte is better than no alert. Throws RequestError 415 for a compressed body, 413 over `limitBytes`, 400 for another
 * content type or invalid JSON, 429 if `budget` has no room for its bytes, which it counts until the response is sent.
 */
export async function readJsonBody(
  exchange: Exchange,
  budget: BodyBudget,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<unknown> {
  const { bytes, type } = await readBody(exchange, budget, limitBytes);
  if (bytes.length === 0) return {};
  if (!isJsonType(type)) {
    const given = type === "" ? "missing" : `'${type}'`;
    throw new RequestError(
      400,
      `request body must be JSON: content type is ${given}, not 'application/json'`,
    );
  }
  const body = decodeJson(bytes);
  noteUnknown(exchange.req, body);
  return body;
}

/** True for the media types of JSON. */
export function isJsonType(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

/** Decodes JSON text. Throws RequestError 400, also for one that is nested too deeply for what comes after. */
export function decodeJson(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString("utf8"));
  } catch (error) {
    const problem = error instanceof RangeError ? "is nested too deeply" : "is not valid JSON";
    throw new RequestError(400, `request body ${problem}: ${errorMessage(error)}`);
  }
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/**
 * Reads a body as it is, with its media type in lower case (empty if there is none). Throws RequestError 415 for a compressed
 * body, 413 over `limitBytes`, 400 if it cannot be read, 429 if `budget` has no room for it.
 */
export async function readBody(
  { req: request, res: response }: Exchange,
  budget: BodyBudget,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<{ readonly bytes: Buffer; readonly type: string }> {
  // Decompression would let a kilobyte grow to a gigabyte.
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    throw new RequestError(
      415,
      `content encoding '${abbreviate(encoding)}' is not accepted: send the body without a Content-Encoding`,
    );
  }
  const bytes = await readBytes(request, response, budget, limitBytes);
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return { bytes, type };
}

async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  budget: BodyBudget,
  limit: number,
): Promise<Buffer> {
  const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
  const body = budget.open(refuse);
  if (response.destroyed) body.close();
  else response.once("close", body.close);
  request.on("data", (chunk: Buffer) => body.add(chunk.length));
  try {
    const length = request.headers["content-length"];
    const reading = getRawBody(request, {
      limit,
      ...(length === undefined ? {} : { length }),
    });
    return await Promise.race([reading, refused]);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    // The rest of an oversized body is discarded; a client that keeps sending runs into the request timeout.
    const type = error instanceof Error && "type" in error ? error.type : undefined;
    if (type === "entity.too.large") throw new RequestError(413, "Request Entity Too Large");
    throw new RequestError(400, `request body could not be read: ${errorMessage(error)}`);
  } finally {
    body.received();
  }
}
