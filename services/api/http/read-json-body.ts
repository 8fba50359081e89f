import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { getRawBody } from "raw-body";
import { errorMessage } from "#shared/errors.ts";
import { parseJson } from "#shared/parse-json.ts";
import type { BodyBudget } from "./body-budget.ts";
import { bodyText, readContentType, type Body } from "./body-text.ts";
import { RequestError, abbreviate } from "./request-error.ts";
import { noteUnknown } from "./unknown-members.ts";

/** Alert data of 1 MiB can take 6 MiB as JSON: a control character is escaped to six bytes. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and decodes a JSON body; an empty body counts as `{}`. Throws RequestError 415 for an unknown compression or charset, 413 over
 * `limitBytes`, 400 for another content type or invalid JSON, 429 if `budget` has no room for its bytes, which it counts until the
 * response is sent.
 */
export async function readJsonBody(
  exchange: Exchange,
  budget: BodyBudget,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<unknown> {
  const body = decodeJson(await readJsonText(exchange, budget, limitBytes));
  noteUnknown(exchange.req, body);
  return body;
}

/** The text of a JSON body. Throws what `readJsonBody` throws, except for invalid JSON. */
export async function readJsonText(
  exchange: Exchange,
  budget: BodyBudget,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<string> {
  const body = await readBody(exchange, budget, limitBytes);
  if (body.bytes.length === 0) return "{}";
  if (!isJsonType(body.type)) {
    const given = body.type === "" ? "missing" : `'${body.type}'`;
    throw new RequestError(
      400,
      `request body must be JSON: content type is ${given}, not 'application/json'`,
    );
  }
  return bodyText(body);
}

/** True for the media types of JSON. */
function isJsonType(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

/** Decodes JSON text. Throws RequestError 400, also for one that is nested too deeply for what comes after. */
export function decodeJson(text: string): unknown {
  try {
    return parseJson(text);
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
 * Reads a body, decompressed. Throws RequestError 415 for an unknown compression, 413 over `limitBytes` before or after it, 400 if it
 * cannot be read, 429 if `budget` has no room for it.
 */
export async function readBody(
  { req: request, res: response }: Exchange,
  budget: BodyBudget,
  limitBytes = BODY_LIMIT_BYTES,
): Promise<Body> {
  const encodings = (request.headers["content-encoding"] ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "" && one !== "identity");
  const decoder = DECODERS[encodings[0] ?? ""];
  if (encodings.length > 1 || (encodings.length === 1 && decoder === undefined)) {
    throw new RequestError(
      415,
      `content encoding '${abbreviate(encodings.join(", "))}' is not accepted: it may be one of ${Object.keys(DECODERS).join(", ")}, or none`,
    );
  }
  const bytes = await readBytes(request, response, { budget, limit: limitBytes, decoder: decoder?.() });
  return { bytes, ...readContentType(request.headers["content-type"]) };
}

async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  {
    budget,
    limit,
    decoder,
  }: { readonly budget: BodyBudget; readonly limit: number; readonly decoder: Transform | undefined },
): Promise<Buffer> {
  const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
  const body = budget.open(refuse);
  if (response.destroyed) body.close();
  else response.once("close", body.close);
  const count = (chunk: Buffer) => body.add(chunk.length);
  request.on("data", count);
  try {
    const length = request.headers["content-length"];
    if (length !== undefined && Number(length) > limit) throw tooLarge();
    if (decoder !== undefined) {
      // What a kilobyte grows to is counted while it grows.
      decoder.on("data", count);
      // After the first failure nothing else listens.
      decoder.on("error", () => undefined);
      request.once("close", () => request.complete || decoder.destroy(new Error("request aborted")));
    }
    const reading = getRawBody(decoder === undefined ? request : request.pipe(decoder), {
      limit,
      ...(length === undefined || decoder !== undefined ? {} : { length }),
    });
    return await Promise.race([reading, refused]);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    // The rest of an oversized body is discarded; a client that keeps sending runs into the request timeout.
    const type = error instanceof Error && "type" in error ? error.type : undefined;
    if (type === "entity.too.large") throw tooLarge();
    throw new RequestError(400, `request body could not be read: ${errorMessage(error)}`);
  } finally {
    body.received();
    if (decoder !== undefined) {
      request.unpipe(decoder);
      decoder.destroy();
      request.resume();
    }
  }
}

function tooLarge(): RequestError {
  return new RequestError(413, "Request Entity Too Large");
}
